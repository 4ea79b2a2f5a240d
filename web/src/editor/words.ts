// The words of GLSL ES 1.00 and 3.00 that the editor colours and completes.

export const KEYWORDS = ("attribute const uniform varying in out inout centroid flat smooth invariant layout precision " +
    "break continue do for while if else switch case default return discard struct highp mediump lowp " +
    "true false").split(" ")

export const TYPES = ("void bool int uint float vec2 vec3 vec4 bvec2 bvec3 bvec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4 " +
    "mat2 mat3 mat4 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 " +
    "sampler2D samplerCube sampler2DShadow").split(" ")

// name: parameters, what it gives
export const FUNCTIONS: Record<string, [string, string]> = {
    radians: ["degrees", "π/180 · degrees"], degrees: ["radians", "180/π · radians"],
    sin: ["angle", "sine"], cos: ["angle", "cosine"], tan: ["angle", "tangent"],
    asin: ["x", "arc sine"], acos: ["x", "arc cosine"], atan: ["y, x", "arc tangent of y/x in its quadrant"],
    pow: ["x, y", "x to the power of y: LOG and EXP of the SFU"], exp: ["x", "e to the power of x"],
    log: ["x", "natural logarithm"], exp2: ["x", "2 to the power of x: EXP of the SFU"],
    log2: ["x", "binary logarithm: LOG of the SFU"], sqrt: ["x", "square root"],
    inversesqrt: ["x", "1/√x: RSQRT of the SFU"],
    abs: ["x", "absolute value"], sign: ["x", "−1, 0 or 1"], floor: ["x", "greatest integer ≤ x"],
    ceil: ["x", "least integer ≥ x"], fract: ["x", "x − floor(x)"], mod: ["x, y", "x − y · floor(x/y)"],
    round: ["x", "nearest integer"], trunc: ["x", "integer toward zero"],
    min: ["x, y", "the lesser"], max: ["x, y", "the greater"], clamp: ["x, low, high", "min(max(x, low), high)"],
    mix: ["x, y, a", "x · (1 − a) + y · a"], step: ["edge, x", "0 if x < edge, else 1"],
    smoothstep: ["edge0, edge1, x", "smooth step from 0 to 1 between the edges"],
    length: ["x", "length of a vector"], distance: ["p, q", "length(p − q)"], dot: ["x, y", "scalar product"],
    cross: ["x, y", "vector product"], normalize: ["x", "vector of length 1"],
    faceforward: ["N, I, Nref", "N turned against I"], reflect: ["I, N", "I mirrored at the normal N"],
    refract: ["I, N, eta", "I refracted at the normal N"],
    matrixCompMult: ["x, y", "product component by component"], transpose: ["m", "transposed matrix"],
    inverse: ["m", "inverse matrix"], determinant: ["m", "determinant"],
    lessThan: ["x, y", "x < y by component"], lessThanEqual: ["x, y", "x ≤ y by component"],
    greaterThan: ["x, y", "x > y by component"], greaterThanEqual: ["x, y", "x ≥ y by component"],
    equal: ["x, y", "x = y by component"], notEqual: ["x, y", "x ≠ y by component"],
    any: ["x", "true if any component is"], all: ["x", "true if all components are"], not: ["x", "complement"],
    texture2D: ["sampler, coord", "texel; a request to the TMU"],
    texture2DProj: ["sampler, coord", "texel at coord.xy / coord.w"],
    texture2DLod: ["sampler, coord, lod", "texel of a level"], textureCube: ["sampler, coord", "texel of a cube map"],
    texture: ["sampler, coord", "texel; a request to the TMU"], textureLod: ["sampler, coord, lod", "texel of a level"],
    texelFetch: ["sampler, coord, lod", "texel by its integer place"], textureSize: ["sampler, lod", "size of a level"],
    dFdx: ["p", "derivative across the quad in x"], dFdy: ["p", "derivative across the quad in y"],
    fwidth: ["p", "|dFdx| + |dFdy|"],
}

export const VARIABLES: Record<string, string> = {
    gl_Position: "clip coordinates of the vertex", gl_PointSize: "size of a point in pixels",
    gl_FragCoord: "window coordinates, 1/w", gl_FrontFacing: "does the pixel belong to a front face",
    gl_PointCoord: "place within a point sprite", gl_FragColor: "the pixel's colour",
    gl_FragData: "the pixel's colours", gl_FragDepth: "the pixel's depth", gl_VertexID: "index of the vertex",
    gl_InstanceID: "number of the instance",
}
