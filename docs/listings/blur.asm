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

# Fragment shader of examples/blur.frag
#   length     57 instructions, 57 cycles for 16 pixels; in no order fewer than 43
#   bound by   the two ALUs, whose work takes 43 instructions
#   registers  5 of 16 in file A (ra), 5 of 16 in file B (rb), 4 of 4 accumulators (r)
#   threads    2: while one waits for a texture, the other one runs
#   uniforms   28 words, read in this order
#
# 8: vec2 from = v_texcoord - 0.5;
    nop; fmul r0, vary, ra15                         #   8
    fadd r0, r0, r5; fmul r1, vary, ra15             #   8  r0 = v_texcoord.y
    fadd ra0, r1, r5; mov t0t, r0                    #   8  ra0 = v_texcoord.x, set-up u_picture.p0
    fsub r1, r0, 0.5; mov t1t, r0                    #   8  r1 = from.y, set-up u_picture.p0
    fsub r2, ra0, 0.5; fmul r1, r1, r1               #   8  r2 = from.x
# 9: vec2 step = u_texel * (0.5 + 14.0 * dot(from, from));
    mov t0s, ra0; fmul r2, r2, r2                    #   9  set-up u_picture.p1
    fadd r1, r2, r1; mov t0t, r0                     #   9  set-up u_picture.p0
    nop; fmul r1, unif, r1                           #   9  unif = 14.0
    fadd r1, 0.5, r1; mov ra1.c8abcd, unif           #   9  unif = 1.0
    nop; fmul r2, unif, r1                           #   9  r2 = step.x, unif = u_texel.x
    fadd rb0, ra0, r2; fmul r1, unif, r1             #   9  r1 = step.y, unif = u_texel.y
# 13: sum += 2.0 * texture2D(u_picture, v_texcoord + vec2(0.0, step.y)).rgb;
    fadd rb1, r0, r1                                 #  13
# 12: sum += 2.0 * texture2D(u_picture, v_texcoord - vec2(step.x, 0.0)).rgb;
    fsub rb2, ra0, r2; mov t1s, rb0                  #  12  set-up u_picture.p1
# 14: sum += 2.0 * texture2D(u_picture, v_texcoord - vec2(0.0, step.y)).rgb;
    fsub rb3, r0, r1; mov t1t, rb1; thrsw            #  14  set-up u_picture.p0
    nop; mov t0s, rb2                                #  12  set-up u_picture.p1
    nop; mov t1s, ra0                                #  13  set-up u_picture.p1
# 10: vec3 sum = 4.0 * texture2D(u_picture, v_texcoord).rgb;
    nop; nop; ldtmu0                                 #  10
    mov ra2, r4; mov t0t, rb3                        #  14  set-up u_picture.p0
# 11: sum += 2.0 * texture2D(u_picture, v_texcoord + vec2(step.x, 0.0)).rgb;
    nop; nop; ldtmu1                                 #  11
    fadd r0, r4.8a, r4.8a; mov t0s, ra0              #  14  set-up u_picture.p1
# 15: sum += texture2D(u_picture, v_texcoord + step).rgb;
    fadd r1, r4.8b, r4.8b; mov t1t, rb1              #  15  set-up u_picture.p0
    fadd rb4, r4.8c, r4.8c; mov t1s, rb0             #  15  set-up u_picture.p1
    nop; fmul r2, ra2.8a, unif; ldtmu1               #  13  r2 = sum.x, unif = 4.0
    fadd r0, r2, r0; mov t1t, rb3                    #  11  r0 = sum.x, set-up u_picture.p0
# 17: sum += texture2D(u_picture, v_texcoord + vec2(step.x, -step.y)).rgb;
    fadd r2, r4.8a, r4.8a; mov t1s, rb0              #  17  set-up u_picture.p1
    mov ra0, r4; fmul r3, ra2.8b, 4.0                #  10  r3 = sum.y
    fadd rb0, r3, r1; fmul r1, ra2.8c, unif; ldtmu0  #  11  rb0 = sum.y, r1 = sum.z, unif = 4.0
# 16: sum += texture2D(u_picture, v_texcoord - step).rgb;
    fadd r3, r4.8a, r4.8a; mov t0t, rb3              #  16  set-up u_picture.p0
    fadd r0, r0, r3; mov t0s, rb2                    #  12  r0 = sum.x, set-up u_picture.p1
    fadd rb3, r1, rb4; fmul ra2, r4.8b, unif         #  11  rb3 = sum.z, unif = 2.0
    fadd rb4, r0, r2; fmul ra3, r4.8c, 2.0           #  13  rb4 = sum.x
    fadd rb0, rb0, ra2; nop; thrsw                   #  14  rb0 = sum.y
    fadd rb3, rb3, ra3                               #  12  rb3 = sum.z
    nop; fmul ra2, ra0.8b, 2.0                       #  13
    nop; fmul r0, ra0.8c, 2.0                        #  13
    fadd rb0, rb0, ra2; nop; ldtmu0                  #  13  rb0 = sum.y
    fadd rb3, rb3, r0; fmul r0, r4.8a, unif          #  13  rb3 = sum.z, unif = 2.0
    fadd r0, rb4, r0; fmul r1, r4.8b, unif           #  14  r0 = sum.x, unif = 2.0
    fadd r1, rb0, r1; fmul r2, r4.8c, unif; ldtmu1   #  14  r1 = sum.y, unif = 2.0
# 18: sum += texture2D(u_picture, v_texcoord + vec2(-step.x, step.y)).rgb;
    fadd rb0, r0, r4.8a; mov t0t, rb1                #  18  rb0 = sum.x, set-up u_picture.p0
    fadd r0, rb3, r2; mov ra0, r4; ldtmu0            #  14  r0 = sum.z
    mov ra2, r4; mov t0s, rb2                        #  18  set-up u_picture.p1
    fadd r1, r1, ra0.8b; nop; ldtmu1                 #  15  r1 = sum.y
    fadd rb1, r0, ra0.8c; mov ra0, r1                #  15  rb1 = sum.z, ra0 = sum.y
    fadd rb0, rb0, ra2.8a; mov ra3, r4; lthrsw       #  16  rb0 = sum.x
    fadd rb1, rb1, ra2.8c                            #  16  rb1 = sum.z
    fadd rb0, rb0, ra3.8a                            #  17  rb0 = sum.x
    fadd r0, rb1, ra3.8c; nop; ldtmu0                #  17  r0 = sum.z
    fadd r1, rb0, r4.8a; mov r2, ra0                 #  18  r1 = sum.x, r2 = sum.y
    fadd r2, r2, ra2.8b                              #  16  r2 = sum.y
    fadd r2, r2, ra3.8b; nop; sbwait                 #  17  r2 = sum.y
# 19: gl_FragColor = vec4(sum * (1.0 / 16.0), 1.0);
    fadd r1, r2, r4.8b; fmul ra1.c8a, r1, 0.0625     #  19  r1 = sum.y, ra1 = gl_FragColor.x
    fadd r0, r0, r4.8c; fmul ra1.c8b, r1, 0.0625     #  18  r0 = sum.z, ra1 = gl_FragColor.y
    nop; fmul ra1.c8c, r0, 0.0625                    #  19  ra1 = gl_FragColor.z
    nop; nop; thrend
    nop; mov tlbc, ra1                               #  19
    nop; nop; sbdone

# Vertex shader of examples/blur.vert
#   length     14 instructions, 14 cycles for 16 vertices; in no order fewer than 14
#   bound by   vertex data (VPM), which is needed for 13 instructions, 14 with the other rules of
#              the chip
#   registers  2 of 32 in file A (ra), 0 of 32 in file B (rb), 2 of 4 accumulators (r)
#   threads    1
#   uniforms   8 words, read in this order
#
# 6: v_texcoord = a_texcoord;
    mov vr_setup, unif                                #   6  unif = 0x401a00
# 7: gl_Position = vec4(a_position, 0.0, 1.0);
    nop; fmul ra0, vpm, unif [ra=32 rb=48 ma=7 mb=6]  #   7  unif = viewport.x_scale
    nop; fmul r0, vpm, unif [ra=32 rb=48 ma=7 mb=6]   #   7  unif = viewport.y_scale
    mov vw_setup, unif; mov ra1, vpm                  #   7  ra1 = a_texcoord.x, unif = 0x1a01
    fadd r1, ra0, unif                                #   7  unif = 65536.5
    ftoi ra0.16a, r1; mov vpm, unif                   #   7  unif = viewport.z_offset
    fadd r0, r0, unif; mov vpm, 1.0                   #   7  unif = 65536.5
    ftoi ra0.16b, r0; mov vpm, vpm                    #   7  vpm = a_texcoord.y
    mov vpm, ra1                                      #   7
    mov vw_setup, unif                                #   7  unif = 0x1a00
    mov vpm, ra0                                      #   7
    nop; nop; thrend
    nop
    nop

# Coordinate shader of examples/blur.vert
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
