nop
frobnicate r0, r1
