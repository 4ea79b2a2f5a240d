nop
nop
nop; nop; sbwait
mov tlbc, 1.0
nop; nop; thrend
nop
nop; nop; sbdone
