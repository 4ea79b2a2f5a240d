attribute highp vec4 position;
attribute highp vec2 texcoord;
attribute lowp vec4 shade;
attribute mediump float lodfrac_in;
uniform highp mat4 rsp_mtx;
uniform highp vec4 tile0_rect; // ul s,t ; lr s,t
uniform highp vec4 tile1_rect;
uniform highp vec4 tile_shift; // s0,t0,s1,t1
uniform highp vec2 tex_scale;
varying highp vec4 st01;
varying lowp vec4 v_shade;
varying mediump float v_lodfrac;
varying highp float v_fogf;
void main() {
  gl_Position = rsp_mtx * position;
  highp vec2 st = texcoord * tex_scale;
  highp vec4 s4 = st.xyxy;
  // shift > 10 means left shift
  bvec4 left = greaterThan(tile_shift, vec4(10.0));
  highp vec4 mul_ = exp2(-tile_shift);
  highp vec4 muln = exp2(16.0 - tile_shift);
  s4 *= mix(mul_, muln, vec4(left));
  st01 = s4 - vec4(tile0_rect.xy, tile1_rect.xy) * 0.25;
  v_shade = shade;
  v_lodfrac = lodfrac_in;
  v_fogf = clamp(gl_Position.z / max(gl_Position.w, 0.0001), 0.0, 1.0);
}
