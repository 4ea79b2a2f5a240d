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

# Fragment shader of examples/fence.frag
#   length     38 instructions, 38 cycles for 16 pixels; in no order fewer than 36
#   bound by   the add ALU, which is needed for 32 instructions, 36 with the other rules of the chip
#   registers  3 of 32 in file A (ra), 6 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   17 words, read in this order
#
# 7: vec2 cell = abs(fract(v_texcoord * 4.0 + vec2(v_texcoord.y, -v_texcoord.x) * 4.0) - 0.5);
    nop; fmul r0, vary, ra15                       #   7
    fadd r0, r0, r5; fmul r1, vary, ra15           #   7  r0 = v_texcoord.x
    fadd r1, r1, r5; fmul r2, vary, ra15           #   7  r1 = v_texcoord.y
    fadd r2, r2, r5; fmul r1, r1, 4.0              #   7  r2 = v_normal.x
    mov rb0, unif; fmul r3, r0, 4.0                #   7  unif = 12582912.0
    fadd r3, r3, r1; fmul r0, r0, unif             #   7  unif = -4.0
    fadd r0, r1, r0; fmul r1, vary, ra15           #   7
    fadd ra0, r3, rb0; fmul rb1, r2, r2            #   7
# 12: vec3 normal = normalize(v_normal);
    fadd r1, r1, r5; fmul rb2, vary, ra15          #  12  r1 = v_normal.y
    fsub rb3, ra0, rb0; fmul ra0, r1, r1           #   7
    fadd rb2, rb2, r5; fmul ra1, r1, unif          #  12  rb2 = v_normal.z, unif = 0.548
    fadd rb1, rb1, ra0                             #  12
    fsub r1, r3, rb3; fmul r2, r2, unif            #   7  unif = 0.365
    fadd r3, r0, rb0; mov rb3.8abcd, unif          #   7  unif = 1.0
    fsub r3, r3, rb0; mov rb0, unif                #   7  unif = 0.42
    fsub r0, r0, r3; fmul r3, rb2, rb2             #   7
    fadd rsqrt, rb1, r3; mov rb1, unif             #  12  unif = 0.3
# 13: float light = abs(dot(normal, vec3(0.365, 0.548, 0.753)));
    fadd r2, r2, ra1; mov ra0, rev_flag            #  13
    fsub r0, r0, 0.5; mov rb4, unif                #   7  unif = 0.22
    fmaxabs r0, r0, r0; fmul r3, rb2, unif         #   7  r0 = cell.y, unif = 0.753
    fsub r1, r1, 0.5                               #   7
    fadd r2, r2, r3                                #  13
    xor.setf nop, ra0, 0; fmul r2, r2, r4          #  13
    fmaxabs r1, r1, r1; mov.zs rb0, unif           #   7  r1 = cell.x, rb0 = base.x, unif = 0.74
# 8: float wire = max(cell.x, cell.y);
    fmax r0, r1, r0; mov.zs rb1, unif              #   8  r0 = wire, rb1 = base.y, unif = 0.78
# 11: float round = 1.0 - abs(wire - 0.44) * 12.0;
    fsub r1, r0, unif                              #  11  unif = 0.44
    fmaxabs r1, r1, r1; mov.zs rb4, unif           #  11  rb4 = base.z, unif = 0.84
    fmaxabs r2, r2, r2; fmul r1, r1, unif          #  13  r2 = light, unif = -4.8
# 15: gl_FragColor = vec4(base * (0.35 + 0.65 * light) * (0.6 + 0.4 * round), 1.0);
    fadd r1, r1, 1.0; fmul r2, unif, r2            #  15  unif = 0.65
    fadd r2, unif, r2                              #  15  unif = 0.35
    nop; fmul r1, r2, r1                           #  15
    nop; fmul rb3.8a, rb0, r1                      #  15  rb3 = gl_FragColor.x
    nop; fmul rb3.8b, rb1, r1                      #  15  rb3 = gl_FragColor.y
    fsub.setf nop, r0, unif; fmul rb3.8c, rb4, r1  #  15  rb3 = gl_FragColor.z, unif = 0.38
    nop; mov.nc tlbz, rb15                         #  15
    nop; mov.nc tlbc, rb3; thrend                  #  15
    nop
    nop; nop; sbdone

# Vertex shader of examples/fence.vert
#   length     40 instructions, 40 cycles for 16 vertices; in no order fewer than 35
#   bound by   the two ALUs, whose work takes 34 instructions, 35 with the other rules of the chip
#   registers  4 of 32 in file A (ra), 5 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   29 words, read in this order
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
#   u5   = u_modelViewProjection[1].y * e5 + u_modelViewProjection[1].w * e6
#   u7   = u_modelViewProjection[1].z * e3 + u_modelViewProjection[1].w * e4
#   u8   = u_modelViewProjection[0].y * e5 + u_modelViewProjection[0].w * e6
#   u9   = u_modelViewProjection[0].x * e7 + u_modelViewProjection[0].w * e8
#   u10  = u_modelViewProjection[2].y * e5 + u_modelViewProjection[2].w * e6
#   u12  = u_modelViewProjection[0].z * e3 + u_modelViewProjection[0].w * e4
#   u19  = u_modelViewProjection[3].y * e5 + u_modelViewProjection[3].w * e6
#   u20  = u_modelViewProjection[2].x * e7 + u_modelViewProjection[2].w * e8
#   u21  = u_modelViewProjection[2].z * e3 + u_modelViewProjection[2].w * e4
#   u24  = u_modelViewProjection[3].x * e7 + u_modelViewProjection[3].w * e8
#   u26  = u_modelViewProjection[3].z * e3 + u_modelViewProjection[3].w * e4
#
# 12: v_texcoord = a_texcoord;
    mov vr_setup, unif                      #  12  unif = 0x801a00
# 14: gl_Position = u_modelViewProjection * vec4(a_position, 1.0);
    mov vw_setup, unif; mov r0, vpm         #  14  r0 = a_position.x, unif = 0x1a03
    mov r1, vpm; fmul ra0, unif, r0 [ra=32 rb=48 aa=7 ab=7 ma=6]
                                            #  14  r1 = a_position.y
                                            #      unif = u_modelViewProjection[0].w * e2
    mov r3, vpm; fmul r2, unif, r1 [ra=32 rb=48 aa=7 ab=7 ma=6]
                                            #  14  r3 = a_position.z
                                            #      unif = u_modelViewProjection[1].w * e2
    fadd r2, ra0, r2; fmul ra1, unif, r1    #  14  unif = u4
    fadd r2, r2, r3; fmul rb0, unif, r1     #  14  unif = u5
    fadd r2, r2, unif; mov ra0, vpm         #  14  ra0 = a_normal.x
                                            #      unif = u_modelViewProjection[3].w * e2
    mov recip, r2; fmul ra2, unif, r1       #  14  unif = u7
    mov rb1, vpm; fmul r1, unif, r0 [ra=32 rb=48 aa=7 ab=7 ma=6]  #  14  rb1 = a_normal.y, unif = u8
    fadd ra3, r1, rb0; fmul r1, unif, r0    #  14  unif = u9
    fadd ra1, r1, ra1; fmul r2, r2, r4      #  14
    fsub rb0, 2.0, r2; fmul r1, unif, r3    #  14  unif = u10
# 13: v_normal = u_normalMatrix * a_normal;
    nop; fmul r2, unif, rb1                 #  13  unif = u_normalMatrix[1].x
    fadd rb2, ra3, r1; fmul ra3, r4, rb0    #  14
    mov r1, vpm; fmul r0, unif, r0 [ra=32 rb=48 aa=7 ab=7 ma=6]  #  14  r1 = a_normal.z, unif = u12
    fadd rb0, r0, ra2; fmul ra2, unif, r1   #  14  unif = u_normalMatrix[2].y
    nop; fmul r0, unif, ra0                 #  13  unif = u_normalMatrix[0].x
    fadd rb3, r0, r2; fmul r0, unif, rb1    #  13  unif = u_normalMatrix[1].y
    nop; fmul rb1, unif, rb1                #  13  unif = u_normalMatrix[1].z
    nop; fmul r2, unif, ra0                 #  13  unif = u_normalMatrix[0].y
    fadd rb4, r2, r0; fmul r0, unif, ra0    #  13  unif = u_normalMatrix[0].z
    fadd r0, r0, rb1; mov vpm, vpm          #  13  vpm = a_texcoord.x
    fadd r2, rb2, unif                      #  14  unif = u19
    mov vpm, vpm; fmul r2, r2, ra3          #  14  vpm = a_texcoord.y
    ftoi ra0, r2; fmul r2, unif, r3         #  14  unif = u20
    fadd rb1, ra1, r2; fmul r3, unif, r3    #  14  unif = u21
    fadd ra1, rb0, r3; fmul r2, unif, r1    #  13  unif = u_normalMatrix[2].x
    fadd vpm, rb3, r2; fmul rb0, unif, r1   #  13  vpm = v_normal.x, unif = u_normalMatrix[2].z
    fadd vpm, rb4, ra2                      #  13  vpm = v_normal.y
    fadd r1, rb1, unif                      #  14  unif = u24
    fadd vpm, r0, rb0; fmul r0, r1, ra3     #  13  vpm = v_normal.z
    ftoi r0, r0; mov vw_setup, unif         #  14  unif = 0x1a01
    fadd r1, ra1, unif                      #  14  unif = u26
    shr ra0.16a, r0, 15; fmul vpm, r1, ra3  #  14
    nop; fmul vpm, ra3, unif                #  14  unif = e2
    mov vw_setup, unif                      #  14  unif = 0x1a00
    mov vpm, ra0                            #  14
    nop; nop; thrend
    nop
    nop

# Coordinate shader of examples/fence.vert
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
# 12: v_texcoord = a_texcoord;
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
