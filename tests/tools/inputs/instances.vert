#version 300 es
in vec4 position;
flat out int which;
void main() {
    which = gl_InstanceID;
    gl_Position = vec4(position.xy * 0.25 + vec2(-0.75 + 0.5 * float(gl_InstanceID), 0.0), 0.0, 1.0);
}
