// XF emulation
attribute vec3 rawpos;
attribute vec3 rawnorm0;
attribute vec4 color0;
attribute vec4 color1;
attribute vec2 tex0;
attribute vec2 tex1;
attribute float posmtx;
uniform vec4 cproj[4];
uniform vec4 ctransformmatrices[48];
uniform vec4 cnormalmatrices[24];
uniform vec4 ctexmtx[6];
uniform vec4 cposttex[6];
uniform vec4 cmaterials[4];
uniform vec4 clights[20]; // col, cosatt, distatt, pos, dir  x4
uniform vec4 clitctl; // enable mask bits, mat src, amb src, diffuse fn
varying vec4 colors_0;
varying vec4 colors_1;
varying vec3 uv0;
varying vec3 uv1;
void main()
{
  int posidx = int(posmtx);
  vec4 rp = vec4(rawpos, 1.0);
  vec3 pos = vec3(dot(ctransformmatrices[posidx], rp), dot(ctransformmatrices[posidx+1], rp), dot(ctransformmatrices[posidx+2], rp));
  int normidx = posidx >= 32 ? (posidx - 32) : posidx;
  normidx = (normidx > 21) ? 21 : normidx;
  vec3 N0 = cnormalmatrices[normidx].xyz, N1 = cnormalmatrices[normidx+1].xyz, N2 = cnormalmatrices[normidx+2].xyz;
  vec3 _norm0 = normalize(vec3(dot(N0, rawnorm0), dot(N1, rawnorm0), dot(N2, rawnorm0)));
  gl_Position = vec4(dot(cproj[0], vec4(pos, 1.0)), dot(cproj[1], vec4(pos, 1.0)), dot(cproj[2], vec4(pos, 1.0)), dot(cproj[3], vec4(pos, 1.0)));
  vec4 mat, lacc;
  vec3 ldir, cosAttn, distAttn;
  float dist, dist2, attn;
  {
    mat = clitctl.y > 0.5 ? floor(color0 * 255.0 + 0.5) : cmaterials[2];
    lacc = clitctl.z > 0.5 ? floor(color0 * 255.0 + 0.5) : cmaterials[0];
    float bits = clitctl.x;
    for (int i = 0; i < 4; i++) {
      float on = mod(bits, 2.0);
      bits = floor(bits * 0.5);
      if (on < 0.5) continue;
      int o = i * 5;
      vec4 lc = clights[o++], ca = clights[o++], da = clights[o++], lp = clights[o++], ld = clights[o];
      ldir = lp.xyz - pos;
      dist2 = dot(ldir, ldir);
      dist = sqrt(dist2);
      ldir = ldir / dist;
      attn = max(0.0, dot(ldir, ld.xyz));
      attn = max(0.0, ca.x + ca.y * attn + ca.z * attn * attn) / dot(da.xyz, vec3(1.0, dist, dist2));
      float df = dot(ldir, _norm0);
      df = clitctl.w < 0.5 ? 1.0 : clitctl.w < 1.5 ? df : max(0.0, df);
      lacc += floor(attn * df * lc + 0.5);
    }
    lacc = clamp(lacc, 0.0, 255.0);
    colors_0 = floor(mat * (lacc + floor(lacc / 128.0)) / 256.0) / 255.0;
  }
  {
    mat = cmaterials[3];
    lacc = vec4(255.0);
    mat.w = floor(color1.w * 255.0 + 0.5);
    lacc = clamp(lacc, 0.0, 255.0);
    colors_1 = floor(mat * (lacc + floor(lacc / 128.0)) / 256.0) / 255.0;
  }
  vec4 coord = vec4(0.0, 0.0, 1.0, 1.0);
  { coord = vec4(tex0.x, tex0.y, 1.0, 1.0);
    uv0 = vec3(dot(coord, ctexmtx[0]), dot(coord, ctexmtx[1]), 1.0); }
  { coord = vec4(rawnorm0, 1.0);
    uv1.xyz = vec3(dot(coord, ctexmtx[3]), dot(coord, ctexmtx[4]), dot(coord, ctexmtx[5]));
    vec4 P0 = cposttex[3], P1 = cposttex[4], P2 = cposttex[5];
    uv1.xyz = normalize(uv1.xyz);
    uv1.xyz = vec3(dot(P0.xyz, uv1.xyz) + P0.w, dot(P1.xyz, uv1.xyz) + P1.w, dot(P2.xyz, uv1.xyz) + P2.w);
  }
  vec2 dead_uv2 = tex1 * ctexmtx[2].xy + ctexmtx[2].zw;
  gl_Position.z = -((gl_Position.w * 2.0) - gl_Position.z * 1.5);
}
