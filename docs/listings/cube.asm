# How to read this (docs/listings.md has more):
# - One instruction a line, for 16 pixels or vertices at once: what the add ALU does; what the mul
#   ALU does; a signal. The result stands first, its operands behind it. nop: nothing.
# - r0 to r3, ra0 to ra31 and rb0 to rb31 hold values.
# - unif is the next word of what the driver has written for this draw.
# - vary is the next varying over W: times W, which is in ra15, plus r5 it is the value at the
#   pixel.
# - Whatever is written to recip, rsqrt, exp or log comes back in r4 after two more instructions,
#   as 1/x, 1/sqrt(x), 2^x or log2(x).
# - Writing t0s or t1s asks for a texel, at that and t0t, t1t; ldtmu0 or ldtmu1 waits for it and
#   puts it into r4, a byte a channel. .p0 and .p1 of a sampler are words that describe its texture.
# - thrsw lets the other thread run, after two more instructions; lthrsw does so for the last time.
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

# Fragment shader of examples/cube.frag
#   length     10 instructions, 10 cycles for 16 pixels; in no order fewer than 10
#   bound by   reads of register file B, which are needed for 8 instructions, 10 with the other
#              rules of the chip
#   registers  1 of 16 in file A (ra), 1 of 16 in file B (rb), 1 of 4 accumulators (r)
#   threads    2: while one waits for a texture, the other one runs
#   uniforms   2 words, read in this order
#
# 9: gl_FragColor = vec4(texel.rgb * v_light, texel.a);
    nop; fmul r0, vary, ra15                       #   9
    fadd rb0, r0, r5; fmul r0, vary, ra15; lthrsw  #   9  rb0 = v_light
# 8: vec4 texel = texture2D(u_crate, v_texcoord);
    fadd t0t, r0, r5; fmul r0, vary, ra15          #   8  t0t = v_texcoord.y, set-up u_crate.p0
    fadd t0s, r0, r5                               #   8  t0s = v_texcoord.x, set-up u_crate.p1
    nop; nop; ldtmu0                               #   8
    mov r0, r4                                     #   9
    nop; fmul r0.8a, r4.8a, rb0; sbwait            #   9  r0 = gl_FragColor.x
    nop; fmul r0.8b, r4.8b, rb0; thrend            #   9  r0 = gl_FragColor.y
    nop; fmul r0.8c, r4.8c, rb0                    #   9  r0 = gl_FragColor.z
    nop; mov tlbc, r0; sbdone                      #   9

# Vertex shader of examples/cube.vert
#   length     34 instructions, 34 cycles for 16 vertices; in no order fewer than 30
#   bound by   the two ALUs, whose work takes 29 instructions, 30 with the other rules of the chip
#   registers  4 of 32 in file A (ra), 2 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   24 words, read in this order
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
#   u4   = u_modelViewProjection[1].z * e3 + u_modelViewProjection[1].w * e4
#   u5   = u_normalMatrix[0].x * 0.365 + u_normalMatrix[0].y * 0.548 + u_normalMatrix[0].z * 0.753
#   u7   = u_modelViewProjection[0].y * e5 + u_modelViewProjection[0].w * e6
#   u8   = u_modelViewProjection[0].z * e3 + u_modelViewProjection[0].w * e4
#   u9   = u_modelViewProjection[0].x * e7 + u_modelViewProjection[0].w * e8
#   u10  = u_modelViewProjection[2].z * e3 + u_modelViewProjection[2].w * e4
#   u11  = u_normalMatrix[1].x * 0.365 + u_normalMatrix[1].y * 0.548 + u_normalMatrix[1].z * 0.753
#   u12  = u_modelViewProjection[1].x * e7 + u_modelViewProjection[1].w * e8
#   u13  = u_modelViewProjection[1].y * e5 + u_modelViewProjection[1].w * e6
#   u14  = u_modelViewProjection[3].z * e3 + u_modelViewProjection[3].w * e4
#   u15  = u_normalMatrix[2].x * 0.365 + u_normalMatrix[2].y * 0.548 + u_normalMatrix[2].z * 0.753
#   u16  = u_modelViewProjection[2].x * e7 + u_modelViewProjection[2].w * e8
#   u17  = u_modelViewProjection[2].y * e5 + u_modelViewProjection[2].w * e6
#   u19  = u_modelViewProjection[3].x * e7 + u_modelViewProjection[3].w * e8
#   u20  = u_modelViewProjection[3].y * e5 + u_modelViewProjection[3].w * e6
#
# 13: vec3 normal = u_normalMatrix * a_normal;
    mov vr_setup, unif                               #  13  unif = 0x801a00
# 16: gl_Position = u_modelViewProjection * vec4(a_position, 1.0);
    mov vw_setup, unif; mov r0, vpm                  #  16  r0 = a_position.x, unif = 0x1a05
    mov r1, vpm; fmul ra0, unif, r0 [ra=32 rb=48 aa=7 ab=7 ma=6]
                                                     #  16  r1 = a_position.y
                                                     #      unif = u_modelViewProjection[0].w * e2
    mov r3, vpm; fmul r2, unif, r1 [ra=32 rb=48 aa=7 ab=7 ma=6]
                                                     #  16  r3 = a_position.z
                                                     #      unif = u_modelViewProjection[1].w * e2
    fadd r2, ra0, r2; fmul ra1, unif, r1             #  16  unif = u4
    fadd r2, r2, r3; fmul ra0, vpm, unif [ra=32 rb=48 ma=7 mb=6]  #  16  unif = u5
    fadd r2, r2, unif                                #  16  unif = u_modelViewProjection[3].w * e2
    mov recip, r2; fmul ra2, unif, r0                #  16  unif = u7
    nop; fmul rb0, unif, r0                          #  16  unif = u8
    nop; fmul ra3, unif, r0                          #  16  unif = u9
    fadd r2, rb0, ra1; fmul r0, r2, r4               #  16
    fsub rb0, 2.0, r0; fmul r0, unif, r3             #  16  unif = u10
    fadd rb1, r2, r0; fmul r0, vpm, unif [ra=32 rb=48 ma=7 mb=6]  #  16  unif = u11
    fadd r0, ra0, r0; fmul r2, unif, r1              #  16  unif = u12
    fadd ra0, ra3, r2; fmul r1, unif, r1             #  16  unif = u13
    fadd rb0, ra2, r1; fmul r2, r4, rb0              #  16
    fadd ra1, rb1, unif                              #  16  unif = u14
# 14: v_light = 0.25 + 0.85 * max(0.0, dot(normal, vec3(0.365, 0.548, 0.753)));
    nop; fmul r1, vpm, unif [ra=32 rb=48 ma=7 mb=6]  #  14  unif = u15
    fadd r0, r0, r1; fmul r1, unif, r3               #  14  unif = u16
    fadd rb1, ra0, r1; fmul r3, unif, r3             #  16  unif = u17
    fmax r0, 0, r0; mov vpm, vpm                     #  14  vpm = a_texcoord.x
    fadd r1, rb0, r3; fmul ra0, unif, r0             #  16  unif = 0.85
    fadd r0, rb1, unif                               #  16  unif = u19
    fadd r1, r1, unif; fmul ra2, r0, r2              #  16  unif = u20
    mov vw_setup, unif; fmul r0, r1, r2              #  16  unif = 0x1a01
    ftoi ra3, r0; fmul vpm, ra1, r2                  #  16
    ftoi r0, ra2; fmul vpm, r2, unif                 #  16  unif = e2
    fadd vpm, 0.25, ra0                              #  14  vpm = v_light
    shr ra3.16a, r0, 15; mov vpm, vpm                #  16  vpm = a_texcoord.y
    mov vw_setup, unif                               #  16  unif = 0x1a00
    mov vpm, ra3                                     #  16
    nop; nop; thrend
    nop
    nop

# Coordinate shader of examples/cube.vert
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
# 13: vec3 normal = u_normalMatrix * a_normal;
    mov vr_setup, unif                       #  13  unif = 0x301a00
# 16: gl_Position = u_modelViewProjection * vec4(a_position, 1.0);
    mov vw_setup, unif; mov r0, vpm          #  16  r0 = a_position.x, unif = 0x1a00
    mov r1, vpm; fmul ra0, unif, r0 [ra=32 rb=48 aa=7 ab=7 ma=6]
                                             #  16  r1 = a_position.y
                                             #      unif = u_modelViewProjection[0].w * e2
    mov rb0, vpm; fmul r2, unif, r1 [ra=32 rb=48 aa=7 ab=7 ma=6]
                                             #  16  rb0 = a_position.z
                                             #      unif = u_modelViewProjection[1].w * e2
    fadd r2, ra0, r2; fmul ra1, unif, r0     #  16  unif = u4
    fadd r2, r2, rb0; fmul r3, unif, r1      #  16  unif = u5
    fadd ra0, r2, unif                       #  16  unif = u_modelViewProjection[3].w * e2
    fadd ra1, ra1, r3; fmul r2, unif, r1     #  16  unif = u7
    mov recip, ra0; fmul r3, unif, r0        #  16  unif = u8
    fadd ra2, r3, r2; fmul r2, unif, rb0     #  16  unif = u9
    fadd r2, ra1, r2; fmul r1, unif, r1      #  16  unif = u10
    fadd rb1, r2, unif; fmul r3, ra0, r4     #  16  unif = u11
    fsub rb2, 2.0, r3; fmul r0, unif, r0     #  16  unif = u12
    fadd r0, r0, r1; fmul r2, unif, rb0      #  16  unif = u13
    fadd r2, ra2, r2; fmul r1, r4, rb2       #  16
    fadd rb2, r2, unif; fmul r3, rb1, r1     #  16  unif = u14
    ftoi r3, r3; fmul r2, unif, rb0          #  16  unif = u15
    fadd r0, r0, r2; fmul vpm, rb1, unif     #  16  unif = 1.0 / e6
    fadd r0, r0, unif; fmul r2, rb2, r1      #  16  unif = u17
    ftoi ra1, r2; fmul vpm, rb2, unif        #  16  unif = 1.0 / e4
    shr ra1.16a, r3, 15; fmul vpm, r0, unif  #  16  unif = 1.0 / (e3 * e2)
    nop; fmul vpm, ra0, unif                 #  16  unif = e1 * 1.000001
    mov vpm, ra1; fmul r0, r0, r1            #  16
    fadd vpm, r0, unif                       #  16  unif = viewport.z_offset
    nop; fmul vpm, r1, unif                  #  16  unif = e2
    nop; nop; thrend
    nop
    nop
