float halve(float x) { return x * 0.5; }
