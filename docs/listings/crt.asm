# How to read this (docs/listings.md has more):
# - One instruction a line, for 16 pixels or vertices at once: what the add ALU does; what the mul
#   ALU does; a signal. The result stands first, its operands behind it. nop: nothing.
# - r0 to r3, ra0 to ra31 and rb0 to rb31 hold values.
# - unif is the next word of what the driver has written for this draw.
# - vary is the next varying over W: times W, which is in ra15, plus r5 it is the value at the
#   pixel.
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

# Fragment shader of examples/crt.frag
#   length     71 instructions, 71 cycles for 16 pixels; in no order fewer than 59
#   bound by   reads of register file B, which are needed for 60 instructions
#   registers  6 of 16 in file A (ra), 13 of 16 in file B (rb), 4 of 4 accumulators (r)
#   threads    2: while one waits for a texture, the other one runs
#   uniforms   33 words, read in this order
#
# 8: vec2 p = v_texcoord * 2.0 - 1.0;
    nop; fmul r0, vary, ra15                       #   8
    fadd r0, r0, r5; fmul r1, vary, ra15           #   8  r0 = v_texcoord.x
    fsub r0, r0, 0.5; mov rb0, unif                #   8  unif = 0.15915494
    fadd r1, r1, r5; fmul r2, r0, unif             #   8  r1 = v_texcoord.y, unif = 0.18
    fsub r1, r1, 0.5; fmul r2, r2, r0              #   8
# 9: p *= 1.0 + 0.09 * p.yx * p.yx;
    fadd r2, 0.5, r2; fmul r3, r1, unif            #   9  unif = 0.18
    mov rb1, unif; fmul r3, r3, r1                 #   9  unif = 12582912.0
    fadd r2, 0.5, r3; fmul r1, r1, r2              #   9
# 10: vec2 place = p * 0.5 + 0.5;
    fadd r3, r1, 0.25; mov rb2, unif               #  10  unif = 56.08592
    fmaxabs r1, r1, r1; fmul r0, r0, r2            #   9
    fadd rb3, r0, 0.25; fmul r2, r3, unif          #  10  unif = 6.2831855 * (u_lines + u_lines)
# 16: vec2 border = smoothstep(1.0, 0.93, abs(p));
    fmaxabs r0, r0, r0; fmul t0t, r3, 2.0          #  16  t0t = place.y, set-up u_picture.p0
# 12: float line = 0.5 + 0.5 * sin(place.y * u_lines * 6.2831853);
    fsub r0, r0, unif; fmul r2, r2, rb0            #  12  unif = 0.25
    fadd r3, r2, rb1; mov rb4, unif                #  12  unif = -77.9292
    fsub r3, r3, rb1; fmul r0, r0, unif            #  12  unif = -57.142864
    fsub r2, r2, r3; fmul r3, rb3, unif            #  12  r3 = stripe
                                                   #      unif = 0.6 * (u_lines * 12.566371)
# 14: vec3 mask = 0.5 + 0.5 * sin(vec3(stripe, stripe - 2.0944, stripe + 2.0944));
    fsub rb5, r2, unif; fmul ra0, r3, rb0          #  14  unif = 0.5
    fadd r2, r3, unif; mov rb6.8abcd, 1.0          #  14  unif = 2.0944
    fsub r1, r1, unif; fmul r2, r2, rb0            #  14  unif = 0.25
    fsub r3, r3, unif; fmul ra1, rb5, rb5          #  14  unif = 2.0944
    fmax r0, r0, unif; fmul r3, r3, rb0            #  14  unif = 0
    fadd ra2, r3, rb1; fmul r1, r1, unif           #  14  unif = -57.142864
    fadd ra3, r2, rb1; mov rb0, unif               #  14  unif = 41.08541
    fadd ra4, ra0, rb1                             #  14
    fsub rb7, ra2, rb1                             #  14
    fsub rb8, ra4, rb1                             #  14
    fsub r3, r3, rb7; mov rb7, unif                #  14  unif = -6.27712
    fsub ra0, ra0, rb8                             #  14
    fsub rb8, r3, 0.5                              #  14
    fsub r3, ra3, rb1                              #  14
    fsub r2, r2, r3; fmul r3, rb2, ra1             #  14
    fsub rb1, ra0, 0.5                             #  14
    fadd r3, r3, rb4                               #  12
    fsub rb9, r2, 0.5; fmul r2, r3, ra1            #  14
    fmax r1, r1, unif; fmul r3, rb1, rb1           #  14  unif = 0
    fmin r0, r0, unif; fmul ra0, rb2, r3           #  14  unif = 1.0
    fmin r1, r1, unif; fmul ra2, rb8, rb8          #  14  unif = 1.0
    fadd rb10, ra0, rb4; fmul ra0, r0, r0          #  14
    fadd r2, r2, rb0; fmul rb11, r1, r1            #  12
    fsub r0, unif, r0; fmul ra3, rb10, r3          #  14  unif = 1.5
    fadd t0s, rb3, rb3; fmul rb3, ra0, r0          #  10  t0s = place.x, set-up u_picture.p1
    fsub rb10, unif, r1; fmul ra0, r2, ra1         #  12  unif = 1.5
    fadd rb12, ra3, rb0; mov ra1, r3; lthrsw       #  14
    nop; fmul ra3, rb2, ra2                        #  14
    nop; fmul ra1, rb12, ra1                       #  14
    fadd r0, ra3, rb4; nop; ldtmu0                 #  14
    nop; fmul r1, rb9, rb9                         #  14
    nop; fmul r2, rb2, r1                          #  14
    fadd r2, r2, rb4; fmul r0, r0, ra2             #  14
    fadd r3, ra0, rb7; fmul r2, r2, r1             #  12
    nop; fmul r3, rb5, r3                          #  12
    fadd r0, r0, rb0; fmul r3, r3, unif            #  14  unif = 0.2
    fadd r2, r2, rb0; fmul r0, r0, ra2             #  14
    fadd r2, ra1, rb7; fmul r1, r2, r1             #  14
    fadd r3, r3, unif; fmul r2, rb1, r2            #  14  unif = 0.92
    fadd r0, r0, rb7; fmul r2, r2, unif            #  14  unif = 0.15
    fadd r2, r2, unif; fmul r0, rb8, r0            #  14  unif = 0.97
# 17: gl_FragColor = vec4(color * border.x * border.y, 1.0);
    nop; fmul rb0, r3, rb3                         #  17
    fadd r1, r1, rb7; fmul r2, r4.8a, r2           #  14
# 15: color *= (0.72 + 0.4 * line) * (0.82 + 0.3 * mask);
    mov r3, rb11; fmul r0, r0, unif                #  15  unif = 0.15
    fadd r0, r0, unif; fmul r3, r3, rb10           #  16  unif = 0.97
    nop; fmul r3, r3, 4.0                          #  17
    nop; fmul r3, rb0, r3                          #  17
    nop; fmul r1, rb9, r1                          #  14
    nop; fmul rb6.8a, r2, r3                       #  17  rb6 = gl_FragColor.x
    nop; fmul r0, r4.8b, r0                        #  17
    mov r2, rb6; fmul r1, r1, unif                 #  15  unif = 0.15
    fadd r0, r1, unif; fmul r2.8b, r0, r3; sbwait  #  17  r2 = gl_FragColor.y, unif = 0.97
    nop; fmul r0, r4.8c, r0; thrend                #  17
    nop; fmul r2.8c, r0, r3                        #  17  r2 = gl_FragColor.z
    nop; mov tlbc, r2; sbdone                      #  17

# Vertex shader of examples/crt.vert
#   length     13 instructions, 13 cycles for 16 vertices; in no order fewer than 13
#   bound by   vertex data (VPM), which is needed for 13 instructions
#   registers  1 of 32 in file A (ra), 0 of 32 in file B (rb), 1 of 4 accumulators (r)
#   threads    1
#   uniforms   8 words, read in this order
#
# 7: gl_Position = vec4(a_position, 0.0, 1.0);
    mov vw_setup, unif                               #   7  unif = 0x1a01
# 6: v_texcoord = a_texcoord;
    mov vr_setup, unif                               #   6  unif = 0x401a00
    nop; fmul r0, vpm, unif [ra=32 rb=48 ma=7 mb=6]  #   7  unif = viewport.x_scale
    mov vpm, unif                                    #   7  unif = viewport.z_offset
    fadd r0, r0, unif; mov vpm, 1.0                  #   7  unif = 65536.5
    ftoi ra0.16a, r0; fmul r0, vpm, unif [ra=32 rb=48 ma=7 mb=6]  #   7  unif = viewport.y_scale
    fadd r0, r0, unif; mov vpm, vpm                  #   7  vpm = a_texcoord.x, unif = 65536.5
    ftoi ra0.16b, r0; mov vpm, vpm                   #   7  vpm = a_texcoord.y
    mov vw_setup, unif                               #   7  unif = 0x1a00
    mov vpm, ra0                                     #   7
    nop; nop; thrend
    nop
    nop

# Coordinate shader of examples/crt.vert
#   length     14 instructions, 14 cycles for 16 vertices; in no order fewer than 14
#   bound by   vertex data (VPM), which is needed for 13 instructions, 14 with the other rules of
#              the chip
#   registers  1 of 32 in file A (ra), 0 of 32 in file B (rb), 2 of 4 accumulators (r)
#   threads    1
#   uniforms   7 words, read in this order
#
# 6: v_texcoord = a_texcoord;
    mov vr_setup, unif                   #   6  unif = 0x201a00
# 7: gl_Position = vec4(a_position, 0.0, 1.0);
    mov vw_setup, unif; mov r0, vpm      #   7  r0 = a_position.x, unif = 0x1a00
    mov vpm, r0; fmul r1, r0, unif       #   7  unif = viewport.x_scale
    fadd r0, r1, unif; mov r1, vpm       #   7  r1 = a_position.y, unif = 65536.5
    ftoi ra0.16a, r0; fmul r0, r1, unif  #   7  unif = viewport.y_scale
    fadd r0, r0, unif; mov vpm, r1       #   7  unif = 65536.5
    ftoi ra0.16b, r0; mov vpm, 0         #   7
    mov vpm, 1.0                         #   7
    mov vpm, ra0                         #   7
    mov vpm, unif                        #   7  unif = viewport.z_offset
    mov vpm, 1.0                         #   7
    nop; nop; thrend
    nop
    nop
