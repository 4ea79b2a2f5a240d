# How to read this (docs/listings.md has more):
# - One instruction a line, for 16 pixels or vertices at once: what the add ALU does; what the mul
#   ALU does; a signal. The result stands first, its operands behind it. nop: nothing.
# - r0 to r3, ra0 to ra31 and rb0 to rb31 hold values.
# - unif is the next word of what the driver has written for this draw.
# - vary is the next varying over W: times W, which is in ra15, plus r5 it is the value at the
#   pixel.
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

# Fragment shader of examples/gradient.frag
#   length     40 instructions, 40 cycles for 16 pixels; in no order fewer than 37
#   bound by   the add ALU, which is needed for 37 instructions
#   registers  2 of 32 in file A (ra), 5 of 32 in file B (rb), 4 of 4 accumulators (r)
#   threads    1
#   uniforms   30 words, read in this order
#
#   e1  = u_zenith.x - u_horizon.x
#   e2  = u_zenith.y - u_horizon.y
#   e3  = u_zenith.z - u_horizon.z
#
# 9: float height = v_place.y;
    nop; fmul r0, vary, ra15                #   9
    fadd r0, r0, r5; fmul r1, vary, ra15    #   9  r0 = v_place.y
# 10: vec3 sky = mix(u_horizon, u_zenith, smoothstep(-0.2, 1.0, height));
    fsub r2, r0, unif; mov rb0.8abcd, 1.0   #  10  unif = -0.2
# 12: vec2 d = (v_place - u_sun) * vec2(1.3333, 1.0);
    fadd r1, r1, r5; fmul r2, r2, unif      #  12  r1 = v_place.x, unif = 0.8333333
    fsub r1, r1, unif                       #  12  unif = u_sun.x
    fmax r2, r2, 0; fmul rb1, r1, unif      #  10  rb1 = d.x, unif = 1.3333
# 11: vec3 color = mix(u_ground, sky, smoothstep(-0.75, -0.15, height));
    fsub r1, r0, unif                       #  11  unif = -0.75
    fsub rb2, r0, unif; fmul ra0, rb1, rb1  #  12  rb2 = d.y, unif = u_sun.y
    fmin r1, r2, 1.0; fmul r0, r1, unif     #  11  unif = 1.6666666
    fmax r0, r0, 0; fmul rb1, r1, r1        #  11
    fsub r1, unif, r1; fmul r2, rb2, rb2    #  10  unif = 1.5
# 13: float glow = max(0.0, 1.0 - dot(d, d));
    fadd r2, ra0, r2; fmul r1, rb1, r1      #  13
    fsub r3, 1.0, r2; fmul rb1, r1, unif    #  13  unif = e1 + e1
    fmin r0, r0, 1.0; fmul rb2, r1, unif    #  11  unif = e2 + e2
# 15: color += vec3(0.5, 0.45, 0.3) * smoothstep(0.035, 0.025, dot(d, d));
    fsub r2, r2, unif; fmul rb3, r0, 2.0    #  15  unif = 0.035
    fmax rb4, 0, r3; fmul r2, r2, unif      #  13  rb4 = glow, unif = -100.00001
    fsub rb3, unif, rb3; fmul r0, r0, r0    #  11  unif = 3.0
    fmax r2, r2, 0; fmul r1, r1, unif       #  15  unif = e3 + e3
    fmin r0, r2, unif; fmul rb3, r0, rb3    #  11  unif = 1.0
    fadd r2, unif, rb2; fmul rb2, r0, r0    #  10  r2 = sky.y, unif = u_horizon.y
# 14: color += vec3(1.0, 0.75, 0.45) * (0.55 * glow * glow * glow);
    nop; fmul r3, unif, rb4                 #  14  unif = 0.55
    fsub r2, r2, unif; fmul r3, r3, rb4     #  14  unif = u_ground.y
    fadd r1, unif, r1; fmul rb4, r3, rb4    #  14  r1 = sky.z, unif = u_horizon.z
    fsub r0, unif, r0; fmul r2, rb3, r2     #  11  unif = 1.5
    fsub r1, r1, unif; fmul r0, rb2, r0     #  15  unif = u_ground.z
    fadd rb2, unif, r2; fmul r1, rb3, r1    #  11  rb2 = color.y, unif = u_ground.y
    fadd r2, unif, rb1                      #  10  r2 = sky.x, unif = u_horizon.x
    fsub r2, r2, unif                       #  11  unif = u_ground.x
    fadd rb1, unif, r1; fmul r2, rb3, r2    #  11  rb1 = color.z, unif = u_ground.z
    fadd r1, unif, r2                       #  11  r1 = color.x, unif = u_ground.x
    fadd r1, r1, rb4; fmul r2, unif, rb4    #  14  r1 = color.x, unif = 0.75
    fadd rb2, rb2, r2; fmul r2, unif, r0    #  14  rb2 = color.y, unif = 0.9
    fadd r1, r1, r0; fmul r3, unif, rb4     #  15  r1 = color.x, unif = 0.45
    fadd rb2, rb2, r2; fmul ra0, unif, r0   #  15  rb2 = color.y, unif = 0.6
# 16: gl_FragColor = vec4(color, 1.0);
    fadd r0, rb1, r3; mov rb0.8a, r1        #  16  r0 = color.z
    fadd r0, r0, ra0; mov rb0.8b, rb2       #  16  r0 = color.z
    nop; mov rb0.8c, r0; sbwait             #  16
    nop; nop; thrend
    nop; mov tlbc, rb0                      #  16
    nop; nop; sbdone

# Vertex shader of examples/gradient.vert
#   length     13 instructions, 13 cycles for 16 vertices; in no order fewer than 13
#   bound by   vertex data (VPM), which is needed for 12 instructions, 13 with the other rules of
#              the chip
#   registers  1 of 32 in file A (ra), 0 of 32 in file B (rb), 3 of 4 accumulators (r)
#   threads    1
#   uniforms   8 words, read in this order
#
# 7: gl_Position = vec4(a_position, 0.0, 1.0);
    mov vw_setup, unif                   #   7  unif = 0x1a01
# 6: v_place = a_position;
    mov vr_setup, unif                   #   6  unif = 0x201a00
    mov vpm, unif; mov r0, vpm           #   7  r0 = a_position.x, unif = viewport.z_offset
    mov vpm, 1.0; fmul r1, r0, unif      #   7  unif = viewport.x_scale
    fadd r1, r1, unif; mov r2, vpm       #   7  r2 = a_position.y, unif = 65536.5
    ftoi ra0.16a, r1; fmul r1, r2, unif  #   7  unif = viewport.y_scale
    fadd r1, r1, unif; mov vpm, r2       #   7  unif = 65536.5
    ftoi ra0.16b, r1; mov vpm, r0        #   7
    mov vw_setup, unif                   #   7  unif = 0x1a00
    mov vpm, ra0                         #   7
    nop; nop; thrend
    nop
    nop

# Coordinate shader of examples/gradient.vert
#   length     14 instructions, 14 cycles for 16 vertices; in no order fewer than 14
#   bound by   vertex data (VPM), which is needed for 13 instructions, 14 with the other rules of
#              the chip
#   registers  1 of 32 in file A (ra), 0 of 32 in file B (rb), 2 of 4 accumulators (r)
#   threads    1
#   uniforms   7 words, read in this order
#
# 6: v_place = a_position;
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
