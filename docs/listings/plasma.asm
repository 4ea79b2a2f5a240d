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

# Fragment shader of examples/plasma.frag
#   length     87 instructions, 87 cycles for 16 pixels; in no order fewer than 78
#   bound by   the two ALUs, whose work takes 77 instructions, 78 with the other rules of the chip
#   registers  8 of 32 in file A (ra), 9 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   30 words, read in this order
#
# 7: vec2 p = v_place * 3.0;
    nop; fmul r0, vary, ra15                     #   7
    fadd r0, r0, r5; fmul r1, vary, ra15         #   7  r0 = v_place.x
    fadd r1, r1, r5; mov r2, unif                #   7  r1 = v_place.y, unif = 3.0
    mov rb0, unif; fmul r1, r1, r2               #   7  r1 = p.y, unif = u_time
    fadd rb1, r1, unif; fmul r2, r0, r2          #   7  rb1 = c.y, r2 = p.x
                                                 #      unif = cos(u_time * 0.3)
# 11: vec2 c = p + vec2(sin(u_time * 0.4), cos(u_time * 0.3));
    fadd rb2, r2, unif; mov ra0.c8abcd, 1.0      #  11  rb2 = c.x, unif = sin(u_time * 0.4)
# 8: float sum = sin(p.x * 1.7 + u_time);
    fadd r2, r2, r1; fmul r0, r0, unif           #   8  unif = 5.1000004
# 12: sum += sin(sqrt(dot(c, c) * 4.0 + 1.0) + u_time);
    fadd r1, r1, unif; fmul rb2, rb2, rb2        #  12  unif = u_time * 0.5
    fadd r0, r0, rb0; fmul r2, unif, r2          #   8  unif = 0.9
    fadd rb1, r2, unif; fmul r3, rb1, rb1        #  12  unif = u_time * 0.7
    fadd r2, rb2, r3; fmul rb2, r1, unif         #  12  unif = 0.2546479
    mov ra1, unif; fmul r1, r2, 4.0              #  12  unif = 0.15915494
    fadd r2, rb2, unif; mov ra2, unif            #   8  unif = 12582912.0
    fadd r1, r1, 1.0; fmul r0, r0, ra1           #  12
    fsub r2, r2, ra2; mov rsqrt, r1              #  12
# 9: sum += sin(0.8 * (p.y * 2.0 + u_time));
    fsub r2, rb2, r2; mov rb2, unif              #   9  unif = -32.73822
    fadd r3, r0, ra2; mov rb3, unif              #   8  unif = 74.463066
    fsub r3, r3, ra2; fmul rb4, r4, 0.5          #  12
    fsub r0, r0, r3; fmul r3, rb1, ra1           #   8
    fsub rb1, r0, 0.5; fmul r1, r1, r4           #  12
    fsub rb4, r2, unif; fmul r0, r1, rb4         #  12  unif = 0.5
    fsub r0, unif, r0; fmul ra3, rb1, rb1        #  12  unif = 0.50000006
    fadd r2, r3, ra2; fmul r0, r1, r0            #  12
# 10: sum += sin(0.9 * (p.x + p.y) + u_time * 0.7);
    fsub r2, r2, ra2; fmul ra4, rb4, rb4         #  10
    fadd r0, r1, r0; fmul r1, rb2, ra3           #  12
    fsub r2, r3, r2; fmul r3, rb2, ra4           #  10
    fadd r0, r0, rb0; mov rb0, unif              #  12  unif = -81.36505
    fsub rb5, r2, 0.5; mov ra5, unif             #  10  unif = 41.330994
    fadd r1, r1, rb3; fmul r0, r0, ra1           #  12
    fadd r2, r0, ra2; fmul ra6, rb5, rb5         #  12
    fadd r3, r3, rb3; fmul r1, r1, ra3           #   9
    fadd r1, r1, rb0; fmul r3, r3, ra4           #   9
    fadd r3, r3, rb0; fmul r1, r1, ra3           #   9
    fsub r2, r2, ra2; mov rb6, unif              #  12  unif = -6.283035
    fsub r0, r0, r2; fmul r2, rb2, ra6           #  12
    fsub rb7, r0, 0.5; fmul r0, r3, ra4          #  12
    fadd r1, r1, ra5; mov rb8, unif              #   8  unif = 56.08592
    fadd r2, r2, rb3; fmul r1, r1, ra3           #  10
    fadd r0, r0, ra5; fmul ra3, rb7, rb7         #  12
    fadd r1, r1, rb6; fmul r2, r2, ra6           #  10
    fadd r2, r2, rb0; fmul r0, r0, ra4           #   9
    fadd r0, r0, rb6; fmul r2, r2, ra6           #  10
    fadd r1, r2, ra5; fmul rb1, rb1, r1          #   8  rb1 = sum
    nop; fmul r2, rb2, ra3                       #  12
    fadd r2, r2, rb3; fmul r1, r1, ra6           #  12
    fadd r1, r1, rb6; fmul r2, r2, ra3           #  12
    fadd r2, r2, rb0; mov rb0, unif              #  12  unif = -77.9292
    mov rb2, unif; fmul r0, rb4, r0              #   9  unif = 41.08541
    fadd rb1, rb1, r0; fmul r2, r2, ra3          #  12  rb1 = sum
    fadd r0, r2, ra5; fmul r1, rb5, r1           #  12
    fadd r1, rb1, r1; fmul r0, r0, ra3           #  12  r1 = sum
    fadd r0, r0, rb6; mov rb1, unif              #  12  unif = -6.27712
    nop; fmul r0, rb7, r0                        #  12
    fadd r0, r1, r0                              #  12  r0 = sum
# 14: vec3 color = 0.5 + 0.5 * sin(sum * 1.5708 + phase);
    nop; fmul r1, r0, unif                       #  14  unif = 0.25000057
    fadd r2, r1, ra2; fmul r0, r0, unif          #  14  unif = 1.5708
    fsub r2, r2, ra2                             #  14
    fsub r1, r1, r2                              #  14
    fadd r2, r0, unif                            #  14  unif = 2.0944
    fsub rb3, r1, 0.5; fmul r2, r2, ra1          #  14
    fadd r1, r2, ra2                             #  14
    fadd r0, r0, unif; fmul r3, rb3, rb3         #  14  unif = 4.1888
    fsub r1, r1, ra2; fmul ra3, rb8, r3          #  14
    fsub r1, r2, r1; fmul r0, r0, ra1            #  14
    fsub rb4, r1, 0.5                            #  14
    fadd r1, r0, ra2                             #  14
    fsub r1, r1, ra2; fmul r2, rb4, rb4          #  14
    fsub r0, r0, r1; fmul r1, rb8, r2            #  14
    fsub rb5, r0, 0.5                            #  14
    fadd r0, r1, rb0                             #  14
    fadd r1, ra3, rb0; fmul r0, r0, r2           #  14
    nop; fmul ra1, rb5, rb5                      #  14
    fadd r0, r0, rb2; fmul r1, r1, r3            #  14
    nop; fmul ra2, rb8, ra1                      #  14
    fadd r1, r1, rb2; fmul r0, r0, r2            #  14
    fadd r2, ra2, rb0; fmul r1, r1, r3           #  14
    fadd r1, r1, rb1; fmul r2, r2, ra1           #  14
    fadd r2, r2, rb2                             #  14
    mov r3, ra0; fmul r1, rb3, r1                #  14
    fadd r0, r0, rb1; fmul r2, r2, ra1           #  14
    fadd r1, unif, r1; fmul r0, rb4, r0          #  14  unif = 1.0
    fadd r2, r2, rb1; fmul r3.8a, r1, unif       #  14  r3 = gl_FragColor.x, unif = 0.45
    fadd r0, unif, r0; fmul r1, rb5, r2; sbwait  #  14  unif = 1.0
# 15: gl_FragColor = vec4(color * vec3(0.9, 0.8, 1.0), 1.0);
    fadd r0, 1.0, r1; fmul r3.8b, r0, unif       #  15  r3 = gl_FragColor.y, unif = 0.4
    nop; nop; thrend
    nop; fmul r3.8c, r0, 0.5                     #  14  r3 = color.z
    nop; mov tlbc, r3; sbdone                    #  15

# Vertex shader of examples/plasma.vert
#   length     14 instructions, 14 cycles for 16 vertices; in no order fewer than 13
#   bound by   the uniform stream, which is needed for 12 instructions, 13 with the other rules of
#              the chip
#   registers  2 of 32 in file A (ra), 0 of 32 in file B (rb), 2 of 4 accumulators (r)
#   threads    1
#   uniforms   9 words, read in this order
#
# 6: gl_Position = vec4(a_position, 0.0, 1.0);
    mov vw_setup, unif                    #   6  unif = 0x1a01
# 5: v_place = a_position * vec2(1.3333, 1.0);
    mov vr_setup, unif                    #   5  unif = 0x201a00
    mov vpm, unif; mov r0, vpm            #   6  r0 = a_position.x, unif = viewport.z_offset
    mov vpm, 1.0; fmul r1, r0, unif       #   6  unif = viewport.x_scale
    fadd r1, r1, unif; mov ra0, vpm       #   6  ra0 = a_position.y, unif = 65536.5
    ftoi ra1.16a, r1; fmul vpm, r0, unif  #   6  vpm = v_place.x, unif = 1.3333
    mov vpm, ra0; fmul r0, ra0, unif      #   6  unif = viewport.y_scale
    fadd r0, r0, unif                     #   6  unif = 65536.5
    ftoi ra1.16b, r0; mov vw_setup, unif  #   6  unif = 0x1a00
    nop
    mov vpm, ra1                          #   6
    nop; nop; thrend
    nop
    nop

# Coordinate shader of examples/plasma.vert
#   length     14 instructions, 14 cycles for 16 vertices; in no order fewer than 14
#   bound by   vertex data (VPM), which is needed for 13 instructions, 14 with the other rules of
#              the chip
#   registers  1 of 32 in file A (ra), 0 of 32 in file B (rb), 2 of 4 accumulators (r)
#   threads    1
#   uniforms   7 words, read in this order
#
# 5: v_place = a_position * vec2(1.3333, 1.0);
    mov vr_setup, unif                   #   5  unif = 0x201a00
# 6: gl_Position = vec4(a_position, 0.0, 1.0);
    mov vw_setup, unif; mov r0, vpm      #   6  r0 = a_position.x, unif = 0x1a00
    mov vpm, r0; fmul r1, r0, unif       #   6  unif = viewport.x_scale
    fadd r0, r1, unif; mov r1, vpm       #   6  r1 = a_position.y, unif = 65536.5
    ftoi ra0.16a, r0; fmul r0, r1, unif  #   6  unif = viewport.y_scale
    fadd r0, r0, unif; mov vpm, r1       #   6  unif = 65536.5
    ftoi ra0.16b, r0; mov vpm, 0         #   6
    mov vpm, 1.0                         #   6
    mov vpm, ra0                         #   6
    mov vpm, unif                        #   6  unif = viewport.z_offset
    mov vpm, 1.0                         #   6
    nop; nop; thrend
    nop
    nop
