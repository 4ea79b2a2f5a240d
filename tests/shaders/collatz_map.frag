precision highp float;
precision highp int;
varying vec2 At;
uniform int Base;
uniform int Columns;
uniform int MaxSteps;
uniform bool ShowPeak;
uniform sampler2D Ramp;

struct Orbit {
    int steps;
    int peak;
    int odds;
    bool finished;
};

Orbit run(int n) {
    Orbit o;
    o.steps = 0;
    o.peak = n;
    o.odds = 0;
    o.finished = false;
    while (o.steps < MaxSteps) {
        if (n == 1) {
            o.finished = true;
            break;
        }
        int half_ = n / 2;
        if (half_ * 2 == n) {
            n = half_;
        } else {
            if (n > 600000000) break;      // would overflow
            n = 3 * n + 1;
            o.odds++;
        }
        if (n > o.peak) o.peak = n;
        o.steps++;
    }
    return o;
}

void main(void) {
    ivec2 c = ivec2(floor(At));
    int n = Base + c.x + c.y * Columns;
    if (n < 1) {
        gl_FragColor = vec4(0.5, 0.5, 0.5, 1.0);
        return;
    }
    Orbit o = run(n);
    float v = ShowPeak ? log2(float(o.peak)) / 20.0 : float(o.steps) / float(MaxSteps);
    vec4 col = texture2D(Ramp, vec2(clamp(v, 0.0, 1.0), 0.5));
    if (!o.finished)
        col = vec4(1.0, 0.0, 0.3, 1.0);
    else if (o.odds == 0)
        col.rgb = 1.0 - col.rgb;           // powers of two
    gl_FragColor = col;
}
