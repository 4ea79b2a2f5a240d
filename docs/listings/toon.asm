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
# - .setf keeps whether the result is zero or negative; .zs, .zc, .ns, .nc write only where it was
#   zero, not zero, negative, not negative.
# - Reading vpm takes the next word of the vertices, writing it passes a result on; vr_setup and
#   vw_setup say where those are.
# - Writing tlbc stores the pixels' colours, tlbz their depth. sbwait waits until earlier triangles
#   have done so in this place, sbdone lets later ones pass.
# - thrend ends the program, after two more instructions.
# - Behind #: the line of the source; what the result is there; what unif is. u7 is word 7 of the
#   uniforms, e1 a part that several have, n1 a long name: they stand above the code. [Brackets]
#   fix bits that have no effect.

# Fragment shader of examples/toon.frag
#   length     38 instructions, 38 cycles for 16 pixels; in no order fewer than 32
#   bound by   the two ALUs, whose work takes 32 instructions
#   registers  4 of 32 in file A (ra), 5 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   19 words, read in this order
#
# 8: vec3 normal = normalize(v_normal);
    nop; fmul r0, vary, ra15                     #   8
    fadd r0, r0, r5; fmul r1, vary, ra15         #   8  r0 = v_normal.x
    fadd r1, r1, r5; fmul r2, vary, ra15         #   8  r1 = v_normal.y
    fadd r2, r2, r5; fmul r3, vary, ra15         #   8  r2 = v_normal.z
# 19: float facing = dot(normal, normalize(v_eye));
    fadd r3, r3, r5; fmul rb0, vary, ra15        #  19  r3 = v_eye.x
    mov ra0, unif; fmul rb1, r0, r0              #   8  unif = 0.52
    fadd rb0, rb0, r5; fmul ra1, r1, r1          #  19  rb0 = v_eye.y
    nop; fmul rb2, vary, ra15                    #  19
    fadd rb1, rb1, ra1; fmul ra1, r2, r2         #   8
    fadd rb2, rb2, r5; fmul ra2, r3, r3          #  19  rb2 = v_eye.z
    fadd rsqrt, rb1, ra1; fmul rb1, r0, r3       #   8
# 9: float light = dot(normal, u_lightDirection);
    nop; fmul rb3, r0, unif                      #   9  unif = u_lightDirection.x
    mov ra1, unif; fmul r0, rb0, rb0             #  19  unif = 0.24
    fadd rb4, ra2, r0; fmul r0, r1, rb0          #  19
    fadd rb0, rb1, r0; fmul r0, r1, unif         #  19  unif = u_lightDirection.y
    fadd r0, rb3, r0; fmul r1, r2, unif          #   9  unif = u_lightDirection.z
    fadd r0, r0, r1; fmul r1, rb2, rb2           #   9
    mov rb1, unif; fmul r2, r2, rb2              #  19  unif = 0.18
    fadd rb0, rb0, r2; fmul r0, r0, r4           #  19  r0 = light
    fsub.setf nop, unif, r0; mov rb2.8abcd, 1.0  #  19  unif = 0.1
    mov.ns ra0, unif; mov r2, r4                 #  19  unif = 0.86
    fadd rsqrt, rb4, r1; mov.ns ra1, unif        #  19  unif = 0.5
    fsub.setf nop, unif, r0                      #  19  unif = 0.55
    mov.ns ra0, unif                             #  19  unif = 0.98
    mov.ns ra1, unif; fmul r1, rb0, r4           #  19  unif = 0.76
    mov.ns rb1, unif; fmul r1, r1, r2            #  19  r1 = facing, unif = 0.28
    fsub.setf nop, unif, r0                      #  19  unif = 0.92
# 20: color *= smoothstep(0.20, 0.34, facing);
    fsub r0, r1, unif; mov.ns ra0, 1.0           #  20  ra0 = color.x, unif = 0.2
    nop; fmul r0, r0, unif                       #  20  unif = 7.1428576
    fmax r0, r0, 0; mov.ns ra1, unif             #  20  ra1 = color.y, unif = 0.96
    fmin r0, r0, 1.0; mov.ns rb1, unif           #  20  rb1 = color.z, unif = 0.75
    fadd r1, r0, r0; fmul rb0, r0, r0            #  20
    fsub r0, unif, r1; mov r1, rb2               #  20  unif = 3.0
    nop; fmul r0, rb0, r0                        #  20
    nop; fmul r1.8a, ra0, r0; sbwait             #  20  r1 = color.x
    nop; fmul r1.8b, ra1, r0; thrend             #  20  r1 = color.y
    nop; fmul r1.8c, rb1, r0                     #  20  r1 = color.z
# 21: gl_FragColor = vec4(color, 1.0);
    nop; mov tlbc, r1; sbdone                    #  21

# Vertex shader of examples/toon.vert
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

# Coordinate shader of examples/toon.vert
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
