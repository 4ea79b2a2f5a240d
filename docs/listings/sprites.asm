# How to read this (docs/listings.md has more):
# - One instruction a line, for 16 pixels or vertices at once: what the add ALU does; what the mul
#   ALU does; a signal. The result stands first, its operands behind it. nop: nothing.
# - r0 to r3, ra0 to ra31 and rb0 to rb31 hold values.
# - unif is the next word of what the driver has written for this draw.
# - vary is the next varying over W: times W, which is in ra15, plus r5 it is the value at the
#   pixel.
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

# Fragment shader of examples/sprites.frag
#   length     13 instructions, 13 cycles for 16 pixels; in no order fewer than 12
#   bound by   the uniform stream, which is needed for 11 instructions, 12 with the other rules of
#              the chip
#   registers  1 of 32 in file A (ra), 1 of 32 in file B (rb), 3 of 4 accumulators (r)
#   threads    1
#   uniforms   6 words, read in this order
#
# 15: gl_FragColor = vec4(v_color * (0.2 + 0.8 * light) + 0.5 * shine, 1.0);
    nop; fmul r0, vary, ra15               #  15
    fadd r0, r0, r5; fmul r1, vary, ra15   #  15  r0 = v_color.x
    fadd r0, r0, unif; mov r2.8abcd, 1.0   #  15  unif = 0.115660205
    fadd r0, r1, r5; fmul r2.8a, r0, unif  #  15  r0 = v_color.y, r2 = gl_FragColor.x
                                           #      unif = 0.85311997
    nop; fmul r1, vary, ra15               #  15
    fadd r0, r0, unif                      #  15  unif = 0.115660205
    fadd r0, r1, r5; fmul r2.8b, r0, unif  #  15  r0 = v_color.z, r2 = gl_FragColor.y
                                           #      unif = 0.85311997
    fadd r0, r0, unif                      #  15  unif = 0.115660205
    mov.setf nop, 0; fmul r2.8c, r0, unif  #  15  r2 = gl_FragColor.z, unif = 0.85311997
    nop; mov.zc tlbz, rb15                 #  15
    nop; mov.zc tlbc, r2; thrend           #  15
    nop
    nop; nop; sbdone

# Vertex shader of examples/sprites.vert
#   length     42 instructions, 42 cycles for 16 vertices; in no order fewer than 38
#   bound by   the add ALU, which is needed for 37 instructions, 38 with the other rules of the chip
#   registers  1 of 32 in file A (ra), 6 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   33 words, read in this order
#
# 7: float t = a_texcoord.x;
    nop; mov vr_setup, unif                  #   7  unif = 0x401a00
    fadd r1, vpm, unif; mov r0, vpm [ra=32 rb=48 aa=7 ab=6 ma=7 mb=7]
                                             #   7  r0 = a_texcoord.x, unif = 0.33
# 8: v_color = 0.55 + 0.45 * cos(6.2831853 * (t + vec3(0.0, 0.33, 0.67)));
    fadd r2, r0, unif                        #   8  unif = 12582912.0
    fadd r3, r0, unif                        #   8  unif = 0.67
    fadd rb0, r1, unif                       #   8  unif = 12582912.0
    fsub r2, r2, unif                        #   8  unif = 12582912.0
    fsub r0, r0, r2; fmul r2, vpm, unif [ra=32 rb=48 ma=7 mb=6]  #   8  unif = 0.75
    fsub r0, r0, 0.5; fmul r2, unif, r2      #   8  unif = 0.92 * viewport.x_scale
    fadd rb1, r3, unif                       #   8  unif = 12582912.0
    fsub rb0, rb0, unif                      #   8  unif = 12582912.0
    fmaxabs r0, r0, r0; fmul rb2, unif, vpm  #   8  unif = 0.92 * viewport.y_scale
    fsub r1, r1, rb0; mov vw_setup, unif     #   8  unif = 0x1a00
    fsub r1, r1, 0.5                         #   8
    fsub rb0, rb1, unif                      #   8  unif = 12582912.0
    fsub rb1, r0, 0.25                       #   8
    fsub r0, r3, rb0                         #   8
    fmaxabs r1, r1, r1; fmul r3, rb1, rb1    #   8
    fsub r0, r0, 0.5; fmul rb0, unif, r3     #   8  unif = 73.18313
    fsub rb3, r1, 0.25                       #   8
    fmaxabs r0, r0, r0; fmul rb4, vpm, unif [ra=32 rb=48 ma=7 mb=6]  #   8  unif = viewport.z_scale
    fsub rb5, r0, unif; fmul r1, rb3, rb3    #   8  unif = 0.25
# 10: gl_Position = vec4(a_position.xy * vec2(0.75, 1.0) * 0.92, a_position.z, 1.0);
    fadd r0, r2, unif                        #  10  unif = 65536.5
    ftoi ra0.16a, r0; fmul r2, rb5, rb5      #   8
    fadd r0, rb2, unif                       #  10  unif = 65536.5
    ftoi ra0.16b, r0; fmul r0, unif, r1      #  10  unif = 73.18313
    fadd rb0, rb0, unif                      #   8  unif = -41.069458
    mov vpm, ra0; fmul rb2, unif, r2         #  10  unif = 73.18313
    fadd r0, r0, unif; fmul r3, rb0, r3      #   8  unif = -41.069458
    fadd r1, rb2, unif; fmul r0, r0, r1      #   8  unif = -41.069458
    fadd r2, r3, unif; fmul r1, r1, r2       #   8  unif = 6.2809696
    fadd r0, r0, unif; fmul r2, rb1, r2      #   8  unif = 6.2809696
    fadd r1, r1, unif; fmul r0, rb3, r0      #   8  unif = 6.2809696
    fadd vpm, rb4, unif                      #  10  unif = viewport.z_offset
    mov vpm, 1.0; fmul r2, r2, unif          #  10  unif = 0.45
    fadd vpm, unif, r2; fmul r1, rb5, r1     #   8  vpm = v_color.x, unif = 0.55
    nop; fmul r0, r0, unif                   #   8  unif = 0.45
    nop; fmul r1, r1, unif                   #   8  unif = 0.45
    fadd vpm, unif, r0                       #   8  vpm = v_color.y, unif = 0.55
    fadd vpm, unif, r1                       #   8  vpm = v_color.z, unif = 0.55
    nop; nop; thrend
    nop
    nop

# Coordinate shader of examples/sprites.vert
#   length     17 instructions, 17 cycles for 16 vertices; in no order fewer than 16
#   bound by   the uniform stream, which is needed for 14 instructions, 16 with the other rules of
#              the chip
#   registers  1 of 32 in file A (ra), 1 of 32 in file B (rb), 2 of 4 accumulators (r)
#   threads    1
#   uniforms   11 words, read in this order
#
# 7: float t = a_texcoord.x;
    mov vr_setup, unif                               #   7  unif = 0x301a00
# 10: gl_Position = vec4(a_position.xy * vec2(0.75, 1.0) * 0.92, a_position.z, 1.0);
    nop; fmul r0, vpm, unif [ra=32 rb=48 ma=7 mb=6]  #  10  unif = 0.75
    nop; fmul r0, unif, r0                           #  10  unif = 0.92 * viewport.x_scale
    mov vw_setup, unif                               #  10  unif = 0x1a00
    fadd r1, r0, unif                                #  10  unif = 65536.5
    ftoi ra0.16a, r1; fmul rb0, unif, vpm            #  10  unif = 0.92 * viewport.y_scale
    mov r0, vpm; fmul vpm, r0, unif [ra=32 rb=48 aa=7 ab=7 mb=6]
                                                     #  10  r0 = a_position.z
                                                     #      unif = 1.0 / viewport.x_scale
    nop; fmul vpm, rb0, unif                         #  10  unif = 1.0 / viewport.y_scale
    fadd r1, rb0, unif; mov vpm, r0                  #  10  unif = 65536.5
    ftoi ra0.16b, r1; fmul rb0, r0, unif             #  10  unif = viewport.z_scale
    mov vpm, 1.0                                     #  10
    mov vpm, ra0                                     #  10
    fadd vpm, rb0, unif                              #  10  unif = viewport.z_offset
    mov vpm, 1.0                                     #  10
    nop; nop; thrend
    nop
    nop
