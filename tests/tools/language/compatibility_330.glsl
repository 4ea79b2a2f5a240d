The fixed pipeline's colours in the compatibility profile of later versions: clamped behind the vertex shader, and
gl_Color's name in the fragment shader is another one than in the vertex shader.
--- vertex
#version 330 compatibility
in vec4 vPosition;
in vec2 texCoord0;
void main() {
    gl_FrontColor = vec4(2.0, 0.5, -1.0, 1.0);
    gl_FrontSecondaryColor = vec4(0.25, 7.0, 0.0, 1.0);
    gl_TexCoord[2] = vec4(2.0, -3.0, 0.0, 1.0);
    gl_FogFragCoord = 5.0;
    gl_Position = vPosition;
}
--- fragment
#version 330 compatibility
bool near(vec4 a, vec4 b) { return all(lessThan(abs(a - b), vec4(0.01))); }
void main() {
    bool ok = near(gl_Color, vec4(1.0, 0.5, 0.0, 1.0)) && near(gl_SecondaryColor, vec4(0.25, 1.0, 0.0, 1.0));
    ok = ok && near(gl_TexCoord[2], vec4(2.0, -3.0, 0.0, 1.0)) && abs(gl_FogFragCoord - 5.0) < 0.01;
    gl_FragColor = vec4(ok ? 0.0 : 1.0, ok ? 1.0 : 0.0, 0.0, 1.0);
}
