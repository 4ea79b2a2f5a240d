qpucc-chip-profile 1
vpm_rows_fall agrees
vpm_rows_jump agrees
