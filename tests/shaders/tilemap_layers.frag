precision highp float;
precision highp int;
varying vec2 pixelCoord;
varying vec2 mapCoord;
uniform sampler2D map;          // r,g = tile index lo/hi, b = flags
uniform sampler2D tiles;
uniform ivec2 mapSize;
uniform ivec2 sheetCells;
uniform int tileSize;
uniform int animLength[16];
uniform int animSpeed[16];
uniform int frame;
uniform bool wrapX, wrapY;
uniform bool grid;
uniform vec4 backdrop;

int imod(int a, int b) {
    int m = a - a / b * b;
    return m < 0 ? m + b : m;
}

bool takeBit(inout int v) {
    int half_ = v / 2;
    bool set = v - half_ * 2 == 1;
    v = half_;
    return set;
}

void main(void) {
    vec2 cellF = floor(pixelCoord / float(tileSize));
    ivec2 cell = ivec2(cellF);
    if (wrapX) cell.x = imod(cell.x, mapSize.x);
    if (wrapY) cell.y = imod(cell.y, mapSize.y);
    if (cell.x < 0 || cell.y < 0 || cell.x >= mapSize.x || cell.y >= mapSize.y) {
        gl_FragColor = backdrop;
        return;
    }
    vec4 entry = floor(texture2D(map, (vec2(cell) + 0.5) / vec2(mapSize)) * 255.0 + 0.5);
    int index = int(entry.r) + int(entry.g) * 256;
    if (index == 65535)
        discard;
    int flags = int(entry.b);
    bool flipH = takeBit(flags);
    bool flipV = takeBit(flags);
    bool swapXY = takeBit(flags);
    bool animated = takeBit(flags);
    if (animated) {
        int a = imod(index, 16);
        int len = animLength[a];
        if (len > 1)
            index += imod(frame / animSpeed[a], len);
    }

    vec2 inTile = pixelCoord - cellF * float(tileSize);
    float edge = float(tileSize);
    if (swapXY) inTile = inTile.yx;
    if (flipH) inTile.x = edge - inTile.x;
    if (flipV) inTile.y = edge - inTile.y;
    inTile = clamp(inTile, vec2(0.5), vec2(edge - 0.5));

    int row = index / sheetCells.x;
    int col = index - row * sheetCells.x;
    vec2 sheetPx = vec2(col, row) * edge + inTile;
    vec4 c = texture2D(tiles, sheetPx / (vec2(sheetCells) * edge));
    if (grid) {
        vec2 g = mod(pixelCoord, edge);
        if (g.x < 1.0 || g.y < 1.0) c = mix(c, vec4(1.0), 0.25);
    }
    gl_FragColor = c;
}
