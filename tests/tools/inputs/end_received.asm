nop
nop; nop
mov t0s, r0
nop; nop; thrend
nop; nop; ldtmu0
nop
