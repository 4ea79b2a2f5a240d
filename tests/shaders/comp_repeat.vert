attribute vec2 a_xy;
attribute vec4 a_inst;   // dst x,y,w,h
attribute vec4 a_srcmask; // src x,y mask x,y
uniform vec4 u_dst;      // 2/w, 2/h, -1, -1
uniform vec3 u_srcm[3];
uniform vec3 u_mskm[3];
varying vec3 v_s;
varying vec3 v_m;
void main()
{
	vec2 corner = a_xy * a_inst.zw;
	vec3 sp = vec3(a_srcmask.xy + corner, 1.0), mp = vec3(a_srcmask.zw + corner, 1.0);
	for (int row = 0; row < 3; row++) {
		v_s[row] = dot(u_srcm[row], sp);
		v_m[row] = dot(u_mskm[row], mp);
	}
	gl_Position = vec4((a_inst.xy + corner) * u_dst.xy + u_dst.zw, 0, 1);
}
