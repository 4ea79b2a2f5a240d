attribute vec3 aP;
attribute vec3 aN;
uniform mat4 uM;
uniform mat4 uVP;
uniform vec3 uCam;
varying highp vec3 vObjPos;
varying highp vec3 vObjEye;
varying highp vec3 vObjNrm;
uniform mat4 uMInv;
void main() {
  vObjPos = aP;
  vObjNrm = aN;
  vObjEye = (uMInv * vec4(uCam, 1.0)).xyz;
  gl_Position = uVP * uM * vec4(aP, 1.0);
}
