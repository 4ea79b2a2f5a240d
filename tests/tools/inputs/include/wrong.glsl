a = vec3(1.0);
