uniform sampler2D sTexture;
uniform sampler2D sNormalMap;
uniform bool bUseDot3;
varying mediump vec3 Light;
varying mediump vec2 TexCoord;
void main()
{
	lowp vec3 base = texture2D(sTexture, TexCoord).rgb;
	lowp float intensity;
	if (bUseDot3)
	{
		mediump vec3 n = texture2D(sNormalMap, TexCoord).rgb * 2.0 - 1.0;
		intensity = dot(n, normalize(Light));
	}
	else
		intensity = Light.z;
	base *= max(intensity, 0.12);
	gl_FragColor = vec4(base, 1.0);
}
