matrixCompMult where a constant is asked for, at every scope.
--- fragment
#version 300 es
precision highp float;
const mat2 g = matrixCompMult(mat2(1, 2, 3, 4), mat2(5, 6, 7, 8));
out vec4 color;
void main() {
    const mat3 m = matrixCompMult(mat3(2.0), mat3(3.0));
    bool ok = g == mat2(5, 12, 21, 32) && m[1].y == 6.0 && m[0].y == 0.0;
    color = vec4(ok ? 0 : 1, ok ? 1 : 0, 0, 1);
}
