mov ra1, 1.0
fadd r0, ra1, ra1
nop; nop; thrend
nop
nop
