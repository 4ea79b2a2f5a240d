# How to read this (docs/listings.md has more):
# - One instruction a line, for 16 pixels or vertices at once: what the add ALU does; what the mul
#   ALU does; a signal. The result stands first, its operands behind it. nop: nothing.
# - r0 to r3, ra0 to ra31 and rb0 to rb31 hold values.
# - unif is the next word of what the driver has written for this draw.
# - vary is the next varying over W: times W, which is in ra15, plus r5 it is the value at the
#   pixel.
# - Whatever is written to recip, rsqrt, exp or log comes back in r4 after two more instructions,
#   as 1/x, 1/sqrt(x), 2^x or log2(x).
# - .8a to .8d are the four bytes of a register, in which 0 to 1 is 0 to 255; .16a and .16b are its
#   halves.
# - Reading vpm takes the next word of the vertices, writing it passes a result on; vr_setup and
#   vw_setup say where those are.
# - Writing tlbc stores the pixels' colours, tlbz their depth. sbwait waits until earlier triangles
#   have done so in this place, sbdone lets later ones pass.
# - thrend ends the program, after two more instructions.
# - Behind #: the line of the source; what the result is there; what unif is. u7 is word 7 of the
#   uniforms, e1 a part that several have, n1 a long name: they stand above the code. [Brackets]
#   fix bits that have no effect.

# Fragment shader of examples/phong.frag
#   length     58 instructions, 58 cycles for 16 pixels; in no order fewer than 54
#   bound by   the two ALUs, whose work takes 50 instructions, 54 with the other rules of the chip
#   registers  3 of 32 in file A (ra), 7 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   31 words, read in this order
#
# 24: vec3 normal = normalize(v_normal);
    nop; fmul r0, vary, ra15                  #  24
    fadd r0, r0, r5; fmul r1, vary, ra15      #  24  r0 = v_normal.x
    fadd rb0, r1, r5; fmul r1, vary, ra15     #  24  rb0 = v_normal.y
    fadd rb1, r1, r5; fmul ra0, r0, r0        #  24  rb1 = v_normal.z
    nop; fmul r1, rb0, rb0                    #  24
    fadd r1, ra0, r1; fmul r2, rb1, rb1       #  24
    fadd rsqrt, r1, r2; fmul r1, vary, ra15   #  24
# 25: vec3 eye = normalize(v_eye);
    fadd rb2, r1, r5; fmul r1, vary, ra15     #  25  rb2 = v_eye.x
    fadd rb3, r1, r5; fmul r1, vary, ra15     #  25  rb3 = v_eye.y
    fadd rb4, r1, r5; fmul r0, r0, r4         #  24  rb4 = v_eye.z, r0 = normal.x
    nop; fmul r1, rb0, r4                     #  24  r1 = normal.y
# 17: float diffuse = max(dot(normal, light.direction), 0.0);
    nop; fmul rb0, r0, unif                   #  17  unif = u_light[0].direction.x
    nop; fmul r2, r1, unif                    #  17  unif = u_light[0].direction.y
    nop; fmul rb1, rb1, r4                    #  24  rb1 = normal.z
    fadd rb0, rb0, r2; fmul ra0, r0, unif     #  17  unif = u_light[1].direction.x
    nop; fmul r2, rb1, unif                   #  17  unif = u_light[0].direction.z
    fadd ra1, rb0, r2; fmul r2, r1, unif      #  17  unif = u_light[1].direction.y
    fadd rb0, ra0, r2; fmul ra0, rb3, rb3     #  17
# 18: vec3 mirrored = reflect(-light.direction, normal);
    fadd r2, ra1, ra1; fmul r3, rb2, rb2      #  18
    fadd rb5, r3, ra0; fmul r3, rb4, rb4      #  25
    fmax ra0, ra1, 0; fmul rb6, r2, r1        #  18  ra0 = diffuse
    fadd rsqrt, rb5, r3; fmul r3, r2, r0      #  25
    fsub r3, r3, unif; fmul r2, r2, rb1       #  18  unif = u_light[0].direction.x
# 19: float specular = pow(max(dot(mirrored, eye), 0.0), u_shininess);
    fsub r2, unif, r2; fmul rb5, r3, rb2      #  19  unif = u_light[0].direction.z
    nop; fmul r3, rb1, unif                   #  17  unif = u_light[1].direction.z
    fadd ra1, rb0, r3; mov rb0.8abcd, unif    #  17  unif = 1.0
    fsub r3, unif, rb6                        #  18  unif = u_light[0].direction.y
    fadd r2, ra1, ra1; fmul rb6, r2, rb4      #  19
    nop; fmul r3, r3, rb3                     #  19
    fsub r3, rb5, r3; fmul r1, r2, r1         #  19
    fsub r3, r3, rb6; fmul r0, r2, r0         #  19
    fsub r1, unif, r1; fmul r2, r2, rb1       #  18  unif = u_light[1].direction.y
    fsub r0, r0, unif; fmul rb1, r1, rb3      #  19  unif = u_light[1].direction.x
    fsub r1, unif, r2; fmul r0, r0, rb2       #  19  unif = u_light[1].direction.z
    fsub rb1, r0, rb1; fmul r0, r3, r4        #  19
    fmax r2, ra1, 0; mov rb2, r4              #  17  r2 = diffuse
    fmax log, r0, unif; fmul r1, r1, rb4      #  19  unif = 0
    fsub r0, rb1, r1; fmul rb1, r2, unif      #  19  unif = u_base.y * u_light[1].color.y
# 28: color += shade(u_light[i], normal, eye);
    nop; fmul r1, ra0, unif                   #  28  unif = u_base.y * u_light[0].color.y
    fadd rb2, r1, unif; fmul r0, r0, rb2      #  19  unif = u_base.y * 0.12
    nop; fmul exp, unif, r4                   #  19  exp = specular, unif = u_shininess
    nop; fmul r1, ra0, unif                   #  28  unif = u_base.x * u_light[0].color.x
    fadd rb3, r1, unif                        #  28  unif = u_base.x * 0.12
    mov r3, r4; fmul r1, ra0, unif            #  28  r3 = specular
                                              #      unif = u_base.z * u_light[0].color.z
    fmax log, r0, 0; fmul r0, r3, unif        #  19  unif = 0.6 * u_light[0].color.y
    fadd rb4, r1, unif                        #  28  unif = u_base.z * 0.12
    fadd r0, rb2, r0; fmul r1, r3, unif       #  28  unif = 0.6 * u_light[0].color.x
    fadd rb2, rb3, r1; fmul exp, unif, r4     #  28  exp = specular, unif = u_shininess
    mov r3, rb0; fmul r1, r3, unif            #  28  unif = 0.6 * u_light[0].color.z
    fadd rb1, r0, rb1; fmul r0, r2, unif      #  28  unif = u_base.x * u_light[1].color.x
    fadd rb2, rb2, r0; fmul ra0, r2, unif     #  28  unif = u_base.z * u_light[1].color.z
    fadd r0, rb4, r1; fmul r1, r4, unif       #  28  unif = 0.6 * u_light[1].color.x
    fadd r1, rb2, r1; fmul r2, r4, unif       #  28  r1 = color.x, unif = 0.6 * u_light[1].color.y
    fadd rb1, rb1, r2; fmul ra1, r4, unif     #  28  rb1 = color.y, unif = 0.6 * u_light[1].color.z
# 29: gl_FragColor = vec4(color, 1.0);
    fadd r0, r0, ra0; mov r3.8a, r1; sbwait   #  29
    fadd r0, r0, ra1; mov r3.8b, rb1; thrend  #  29  r0 = color.z
    nop; mov r3.8c, r0                        #  29
    nop; mov tlbc, r3; sbdone                 #  29

# Vertex shader of examples/phong.vert
#   length     50 instructions, 50 cycles for 16 vertices; in no order fewer than 42
#   bound by   the uniform stream, which is needed for 42 instructions
#   registers  3 of 32 in file A (ra), 7 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   39 words, read in this order
#
#   e1   = abs(u_modelViewProjection[2].w) < 8.6736174e-19 ? 8.6736174e-19 :
#        u_modelViewProjection[2].w
#   e2   = 1.0 / e1
#   e3   = viewport.z_scale * e2
#   e4   = viewport.z_offset * e2
#   e5   = viewport.y_scale * 65536.0 * e2
#   e6   = 32768.0 * e2
#   e7   = viewport.x_scale * 32768.0 * e2
#   e8   = 16384.0 * e2
#   u4   = u_modelViewProjection[1].x * e7 + u_modelViewProjection[1].w * e8
#   u5   = u_modelViewProjection[0].x * e7 + u_modelViewProjection[0].w * e8
#   u6   = u_modelViewProjection[0].y * e5 + u_modelViewProjection[0].w * e6
#   u8   = u_modelViewProjection[2].y * e5 + u_modelViewProjection[2].w * e6
#   u9   = u_modelViewProjection[1].y * e5 + u_modelViewProjection[1].w * e6
#   u10  = u_modelViewProjection[1].z * e3 + u_modelViewProjection[1].w * e4
#   u11  = u_modelViewProjection[0].z * e3 + u_modelViewProjection[0].w * e4
#   u12  = u_modelViewProjection[2].x * e7 + u_modelViewProjection[2].w * e8
#   u14  = u_modelViewProjection[3].y * e5 + u_modelViewProjection[3].w * e6
#   u15  = u_modelViewProjection[3].x * e7 + u_modelViewProjection[3].w * e8
#   u16  = u_modelViewProjection[2].z * e3 + u_modelViewProjection[2].w * e4
#   u21  = u_modelViewProjection[3].z * e3 + u_modelViewProjection[3].w * e4
#
# 12: v_normal = u_normalMatrix * a_normal;
    mov vr_setup, unif                      #  12  unif = 0x601a00
# 14: gl_Position = u_modelViewProjection * vec4(a_position, 1.0);
    mov vw_setup, unif; mov r0, vpm         #  14  r0 = a_position.x, unif = 0x1a00
    mov r1, vpm; fmul ra0, unif, r0 [ra=32 rb=48 aa=7 ab=7 ma=6]
                                            #  14  r1 = a_position.y
                                            #      unif = u_modelViewProjection[0].w * e2
    mov rb0, vpm; fmul r2, unif, r1 [ra=32 rb=48 aa=7 ab=7 ma=6]
                                            #  14  rb0 = a_position.z
                                            #      unif = u_modelViewProjection[1].w * e2
    fadd r2, ra0, r2; fmul rb1, unif, r1    #  14  unif = u4
    fadd r2, r2, rb0; fmul r3, unif, r0     #  14  unif = u5
    fadd rb1, r3, rb1; fmul ra0, unif, r0   #  14  unif = u6
    fadd r2, r2, unif; mov rb2, vpm         #  14  rb2 = a_normal.x
                                            #      unif = u_modelViewProjection[3].w * e2
    mov recip, r2; fmul ra1, unif, rb0      #  14  unif = u8
    mov rb3, vpm; fmul r3, unif, r1 [ra=32 rb=48 aa=7 ab=7 ma=6]  #  14  rb3 = a_normal.y, unif = u9
    fadd r3, ra0, r3; fmul ra2, unif, r1    #  14  unif = u10
    fadd rb4, r3, ra1; fmul r2, r2, r4      #  14
    fsub r2, 2.0, r2; fmul r3, unif, r0     #  14  unif = u11
    fadd ra0, r3, ra2; fmul rb5, r4, r2     #  14
    nop; fmul r2, unif, rb0                 #  14  unif = u12
# 13: v_eye = -vec3(u_modelView * vec4(a_position, 1.0));
    fadd r2, rb1, r2; fmul rb6, unif, r1    #  13  unif = u_modelView[1].x
    fadd r3, rb4, unif                      #  14  unif = u14
    fadd r2, r2, unif; fmul r3, r3, rb5     #  14  unif = u15
    ftoi ra1, r3; fmul r2, r2, rb5          #  14
    ftoi r2, r2; fmul r3, unif, rb0         #  14  unif = u16
    fadd rb1, ra0, r3; fmul r3, unif, r0    #  14  unif = -u_modelView[0].x
    shr ra1.16a, r2, 15; fmul r2, unif, r1  #  14  unif = u_modelView[1].y
    fsub ra0, r3, rb6; fmul r1, unif, r1    #  13  unif = u_modelView[1].z
    mov vpm, ra1; fmul ra2, unif, r0        #  13  unif = -u_modelView[0].y
    fadd r3, rb1, unif                      #  14  unif = u21
    fsub rb1, ra2, r2; fmul vpm, r3, rb5    #  13
    nop; fmul vpm, rb5, unif                #  14  unif = e2
    nop; fmul r2, unif, rb3                 #  12  unif = u_normalMatrix[1].y
    nop; fmul r3, unif, rb2                 #  12  unif = u_normalMatrix[0].y
    fadd rb4, r3, r2; fmul r2, unif, rb3    #  12  unif = u_normalMatrix[1].x
    nop; fmul rb3, unif, rb3                #  12  unif = u_normalMatrix[1].z
    nop; fmul r3, unif, rb2                 #  12  unif = u_normalMatrix[0].x
    fadd ra1, r3, r2; fmul r2, unif, rb2    #  12  unif = u_normalMatrix[0].z
    fadd rb2, r2, rb3; mov r2, vpm          #  12  r2 = a_normal.z
    nop; fmul r3, unif, r2                  #  12  unif = u_normalMatrix[2].x
    fadd vpm, ra1, r3; fmul ra2, unif, r2   #  12  vpm = v_normal.x, unif = u_normalMatrix[2].z
    nop; fmul r2, unif, r2                  #  12  unif = u_normalMatrix[2].y
    fadd vpm, rb4, r2; fmul r0, unif, r0    #  13  vpm = v_normal.y, unif = -u_modelView[0].z
    fadd vpm, rb2, ra2                      #  12  vpm = v_normal.z
    fsub r0, r0, r1; fmul r2, unif, rb0     #  13  unif = u_modelView[2].x
    fsub r1, ra0, r2                        #  13
    fsub vpm, r1, unif                      #  13  vpm = v_eye.x, unif = u_modelView[3].x
    nop; fmul r1, unif, rb0                 #  13  unif = u_modelView[2].z
    fsub ra0, r0, r1; fmul r2, unif, rb0    #  13  unif = u_modelView[2].y
    fsub r0, rb1, r2                        #  13
    fsub vpm, r0, unif                      #  13  vpm = v_eye.y, unif = u_modelView[3].y
    fsub vpm, ra0, unif                     #  13  vpm = v_eye.z, unif = u_modelView[3].z
    nop; nop; thrend
    nop
    nop

# Coordinate shader of examples/phong.vert
#   length     28 instructions, 28 cycles for 16 vertices; in no order fewer than 27
#   bound by   the two ALUs, whose work takes 26 instructions, 27 with the other rules of the chip
#   registers  3 of 32 in file A (ra), 3 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   23 words, read in this order
#
#   e1   = abs(u_modelViewProjection[2].w) < 8.6736174e-19 ? 8.6736174e-19 :
#        u_modelViewProjection[2].w
#   e2   = 1.0 / e1
#   e3   = abs(viewport.z_scale) < 8.6736174e-19 ? 8.6736174e-19 : viewport.z_scale
#   e4   = viewport.y_scale * 65536.0 * e2
#   e5   = 32768.0 * e2
#   e6   = viewport.x_scale * 32768.0 * e2
#   e7   = 16384.0 * e2
#   u4   = u_modelViewProjection[0].x * e6 + u_modelViewProjection[0].w * e7
#   u5   = u_modelViewProjection[1].x * e6 + u_modelViewProjection[1].w * e7
#   u7   = u_modelViewProjection[1].y * e4 + u_modelViewProjection[1].w * e5
#   u8   = u_modelViewProjection[0].y * e4 + u_modelViewProjection[0].w * e5
#   u9   = u_modelViewProjection[2].x * e6 + u_modelViewProjection[2].w * e7
#   u10  = u_modelViewProjection[1].z * (e3 * e2)
#   u11  = u_modelViewProjection[3].x * e6 + u_modelViewProjection[3].w * e7
#   u12  = u_modelViewProjection[0].z * (e3 * e2)
#   u13  = u_modelViewProjection[2].y * e4 + u_modelViewProjection[2].w * e5
#   u14  = u_modelViewProjection[3].y * e4 + u_modelViewProjection[3].w * e5
#   u15  = u_modelViewProjection[2].z * (e3 * e2)
#   u17  = u_modelViewProjection[3].z * (e3 * e2)
#
# 12: v_normal = u_normalMatrix * a_normal;
    mov vr_setup, unif                       #  12  unif = 0x301a00
# 14: gl_Position = u_modelViewProjection * vec4(a_position, 1.0);
    mov vw_setup, unif; mov r0, vpm          #  14  r0 = a_position.x, unif = 0x1a00
    mov r1, vpm; fmul ra0, unif, r0 [ra=32 rb=48 aa=7 ab=7 ma=6]
                                             #  14  r1 = a_position.y
                                             #      unif = u_modelViewProjection[0].w * e2
    mov rb0, vpm; fmul r2, unif, r1 [ra=32 rb=48 aa=7 ab=7 ma=6]
                                             #  14  rb0 = a_position.z
                                             #      unif = u_modelViewProjection[1].w * e2
    fadd r2, ra0, r2; fmul ra1, unif, r0     #  14  unif = u4
    fadd r2, r2, rb0; fmul r3, unif, r1      #  14  unif = u5
    fadd ra0, r2, unif                       #  14  unif = u_modelViewProjection[3].w * e2
    fadd ra1, ra1, r3; fmul r2, unif, r1     #  14  unif = u7
    mov recip, ra0; fmul r3, unif, r0        #  14  unif = u8
    fadd ra2, r3, r2; fmul r2, unif, rb0     #  14  unif = u9
    fadd r2, ra1, r2; fmul r1, unif, r1      #  14  unif = u10
    fadd rb1, r2, unif; fmul r3, ra0, r4     #  14  unif = u11
    fsub rb2, 2.0, r3; fmul r0, unif, r0     #  14  unif = u12
    fadd r0, r0, r1; fmul r2, unif, rb0      #  14  unif = u13
    fadd r2, ra2, r2; fmul r1, r4, rb2       #  14
    fadd rb2, r2, unif; fmul r3, rb1, r1     #  14  unif = u14
    ftoi r3, r3; fmul r2, unif, rb0          #  14  unif = u15
    fadd r0, r0, r2; fmul vpm, rb1, unif     #  14  unif = 1.0 / e6
    fadd r0, r0, unif; fmul r2, rb2, r1      #  14  unif = u17
    ftoi ra1, r2; fmul vpm, rb2, unif        #  14  unif = 1.0 / e4
    shr ra1.16a, r3, 15; fmul vpm, r0, unif  #  14  unif = 1.0 / (e3 * e2)
    nop; fmul vpm, ra0, unif                 #  14  unif = e1 * 1.000001
    mov vpm, ra1; fmul r0, r0, r1            #  14
    fadd vpm, r0, unif                       #  14  unif = viewport.z_offset
    nop; fmul vpm, r1, unif                  #  14  unif = e2
    nop; nop; thrend
    nop
    nop
