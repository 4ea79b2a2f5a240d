qpucc-chip-profile 1
# as a self-test writes it
vpm_rows_fall agrees
end_receives_load unreachable
