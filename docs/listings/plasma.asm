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
#   length     86 instructions, 86 cycles for 16 pixels; in no order fewer than 77
#   bound by   the add ALU, which is needed for 77 instructions
#   registers  2 of 32 in file A (ra), 6 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   71 words, read in this order
#
# 7: vec2 p = v_place * 3.0;
    nop; fmul r0, vary, ra15                 #   7
    fadd r0, r0, r5; fmul r1, vary, ra15     #   7  r0 = v_place.x
    fadd r1, r1, r5; fmul r2, r0, unif       #   7  r1 = v_place.y, r2 = p.x, unif = 3.0
    nop; fmul r1, r1, unif                   #   7  r1 = p.y, unif = 3.0
# 9: sum += sin(0.8 * (p.y * 2.0 + u_time));
    fadd r3, r1, unif; mov rb0.8abcd, 1.0    #   9  unif = u_time * 0.5
# 11: vec2 c = p + vec2(sin(u_time * 0.4), cos(u_time * 0.3));
    fadd rb1, r2, unif                       #  11  rb1 = c.x, unif = sin(u_time * 0.4)
# 8: float sum = sin(p.x * 1.7 + u_time);
    fadd r2, r2, r1; fmul r0, r0, unif       #   8  unif = 5.1000004
# 12: sum += sin(sqrt(dot(c, c) * 4.0 + 1.0) + u_time);
    fadd ra0, r1, unif; fmul rb1, rb1, rb1   #  12  ra0 = c.y, unif = cos(u_time * 0.3)
    nop; fmul r1, r3, unif                   #   9  unif = 0.2546479
    fadd r0, r0, unif; fmul r3, ra0, ra0     #   8  unif = u_time
    fadd r3, rb1, r3; fmul r0, r0, unif      #   8  unif = 0.15915494
    fadd rb1, r0, unif; fmul r3, r3, 4.0     #   8  unif = 12582912.0
    fadd r3, r3, 1.0; fmul r2, unif, r2      #  12  unif = 0.9
    fsub rb1, rb1, unif; mov rsqrt, r3       #   8  unif = 12582912.0
# 10: sum += sin(0.9 * (p.x + p.y) + u_time * 0.7);
    fadd r2, r2, unif                        #  10  unif = u_time * 0.7
    fsub r0, r0, rb1; fmul r2, r2, unif      #   8  unif = 0.15915494
    fsub rb1, r0, 0.5; fmul r0, r3, r4       #   8
    fadd rb2, r2, unif; fmul r3, r4, 0.5     #  12  unif = 12582912.0
    fadd rb3, r1, unif; fmul r3, r0, r3      #   9  unif = 12582912.0
    fsub r3, unif, r3; fmul rb4, rb1, rb1    #   8  unif = 0.50000006
    fsub rb3, rb3, unif; fmul r3, r0, r3     #   9  unif = 12582912.0
    fsub rb2, rb2, unif                      #  10  unif = 12582912.0
    fsub r1, r1, rb3                         #   9
    fadd r0, r0, r3; fmul rb3, unif, rb4     #   8  unif = -32.73822
    fsub rb5, r1, 0.5                        #   9
    fadd r1, rb3, unif                       #   8  unif = 74.463066
    fadd r0, r0, unif; fmul r1, r1, rb4      #   8  unif = u_time
    fadd r1, r1, unif; fmul r3, rb5, rb5     #   9  unif = -81.36505
    fsub r2, r2, rb2; fmul rb3, unif, r3     #   9  unif = -32.73822
    fsub rb2, r2, 0.5; fmul r0, r0, unif     #  10  unif = 0.15915494
    fadd r2, rb3, unif                       #   9  unif = 74.463066
    fadd rb3, r0, unif; fmul r1, r1, rb4     #   8  unif = 12582912.0
    fadd r1, r1, unif; fmul r2, r2, r3       #   9  unif = 41.330994
    fadd r2, r2, unif; fmul r1, r1, rb4      #   8  unif = -81.36505
    fadd r1, r1, unif; fmul r2, r2, r3       #   9  unif = -6.283035
    fadd r1, r2, unif; fmul rb1, rb1, r1     #   8  rb1 = sum, unif = 41.330994
    fsub r2, rb3, unif; fmul r1, r1, r3      #   9  unif = 12582912.0
    fadd r1, r1, unif; fmul r3, rb2, rb2     #  10  unif = -6.283035
    fsub r0, r0, r2; fmul rb3, unif, r3      #  10  unif = -32.73822
    fsub rb4, r0, unif; fmul r1, rb5, r1     #   9  unif = 0.5
    fadd r0, rb3, unif                       #  10  unif = 74.463066
    fadd rb1, rb1, r1; fmul r0, r0, r3       #  10  rb1 = sum
    fadd r0, r0, unif; fmul r1, rb4, rb4     #  10  unif = -81.36505
    nop; fmul r2, unif, r1                   #  12  unif = -32.73822
    fadd r2, r2, unif; fmul r0, r0, r3       #  10  unif = 74.463066
    fadd r0, r0, unif; fmul r2, r2, r1       #  10  unif = 41.330994
    fadd r2, r2, unif; fmul r0, r0, r3       #  10  unif = -81.36505
    fadd r0, r0, unif; fmul r2, r2, r1       #  10  unif = -6.283035
    fadd r2, r2, unif; fmul r0, rb2, r0      #  10  unif = 41.330994
    fadd r0, rb1, r0; fmul r1, r2, r1        #  10  r0 = sum
    fadd r1, r1, unif                        #  12  unif = -6.283035
    nop; fmul r1, rb4, r1                    #  12
    fadd r0, r0, r1                          #  12  r0 = sum
# 14: vec3 color = 0.5 + 0.5 * sin(sum * 1.5708 + phase);
    nop; fmul r1, r0, unif                   #  14  unif = 0.25000057
    fadd r2, r1, unif                        #  14  unif = 12582912.0
    fsub r2, r2, unif                        #  14  unif = 12582912.0
    fsub r1, r1, r2; fmul r0, r0, unif       #  14  unif = 1.5708
    fadd r2, r0, unif                        #  14  unif = 4.1888
    fsub rb1, r1, 0.5; fmul r1, r2, unif     #  14  unif = 0.15915494
    fadd r2, r1, unif                        #  14  unif = 12582912.0
    fsub r2, r2, unif; fmul r3, rb1, rb1     #  14  unif = 12582912.0
    fadd r0, r0, unif                        #  14  unif = 2.0944
    fsub r1, r1, r2; fmul r0, r0, unif       #  14  unif = 0.15915494
    fsub rb2, r1, 0.5; fmul r2, unif, r3     #  14  unif = 56.08592
    fadd r1, r2, unif                        #  14  unif = -77.9292
    fadd r2, r0, unif; fmul r1, r1, r3       #  14  unif = 12582912.0
    fadd r1, r1, unif; fmul rb3, rb2, rb2    #  14  unif = 41.08541
    fsub r2, r2, unif; fmul r1, r1, r3       #  14  unif = 12582912.0
    fsub r0, r0, r2; fmul r2, unif, rb3      #  14  unif = 56.08592
    fsub rb4, r0, 0.5                        #  14
    fadd r0, r1, unif                        #  14  unif = -6.27712
    fadd r2, r2, unif; fmul r1, rb4, rb4     #  14  unif = -77.9292
    nop; fmul r3, unif, r1                   #  14  unif = 56.08592
    fadd r3, r3, unif; fmul r0, rb1, r0      #  14  unif = -77.9292
    fadd r0, 1.0, r0; fmul r3, r3, r1        #  14
    fadd r3, r3, unif; fmul r2, r2, rb3      #  14  unif = 41.08541
    fadd r2, r2, unif; fmul r1, r3, r1       #  14  unif = 41.08541
    fadd r1, r1, unif; fmul r2, r2, rb3      #  14  unif = -6.27712
    fadd r2, r2, unif; fmul r1, rb4, r1      #  14  unif = -6.27712
    fadd rb1, unif, r1; fmul r2, rb2, r2     #  14  unif = 1.0
    fadd r1, 1.0, r2; fmul rb0.8a, r0, unif  #  14  rb0 = gl_FragColor.x, unif = 0.45
# 15: gl_FragColor = vec4(color * vec3(0.9, 0.8, 1.0), 1.0);
    nop; fmul rb0.8b, rb1, unif; sbwait      #  15  rb0 = gl_FragColor.y, unif = 0.4
    nop; fmul rb0.8c, r1, 0.5                #  14  rb0 = color.z
    nop; nop; thrend
    nop; mov tlbc, rb0                       #  15
    nop; nop; sbdone

# Vertex shader of examples/plasma.vert
#   length     14 instructions, 14 cycles for 16 vertices; in no order fewer than 14
#   bound by   the uniform stream, which is needed for 12 instructions, 14 with the other rules of
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
    ftoi ra1.16a, r1; fmul vpm, r0, unif  #   5  vpm = v_place.x, unif = 1.3333
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
