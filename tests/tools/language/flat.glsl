flat: the last vertex's value all over a triangle, floats and integers.
--- vertex
#version 300 es
in vec4 vPosition;
in vec2 texCoord0;
out vec2 uv;
flat out vec2 corner;
flat out ivec2 whole;
flat out uint bits;
void main() {
    uv = texCoord0;
    corner = texCoord0;
    whole = ivec2(vPosition.xy) * 1000003;
    bits = uint(gl_VertexID) * 5000u;
    gl_Position = vPosition;
}
--- fragment
#version 300 es
precision highp float;
precision highp int;
in vec2 uv;
flat in vec2 corner;
flat in ivec2 whole;
flat in uint bits;
out vec4 color;
void main() {
    // The quad's triangles end in (-1, -1) and (1, -1).
    bool first = uv.y > uv.x;
    bool edge = abs(uv.x - uv.y) < 0.04;
    bool ok = first ? corner == vec2(0) && whole == ivec2(-1000003) && bits == 10000u
                    : corner == vec2(1, 0) && whole == ivec2(1000003, -1000003) && bits == 25000u;
    color = vec4(ok || edge ? 0 : 1, ok || edge ? 1 : 0, 0, 1);
}
