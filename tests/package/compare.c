/* Do two pictures look the same? compare A.png B.png: no channel may differ by more than 2. */
#include "tools/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    struct picture picture[2];
    char error[256];
    if (argc != 3)
        return 2;
    for (int i = 0; i < 2; i++)
        if (!picture_read_png(&picture[i], argv[1 + i], error, sizeof error)) {
            fprintf(stderr, "%s\n", error);
            return 2;
        }
    int worst = 0;
    size_t bytes = (size_t)picture[0].width * picture[0].height * 4;
    if (picture[0].width != picture[1].width || picture[0].height != picture[1].height) {
        fprintf(stderr, "the sizes differ\n");
        return 1;
    }
    for (size_t i = 0; i < bytes; i++) {
        int difference = abs(picture[0].pixels[i] - picture[1].pixels[i]);
        worst = difference > worst ? difference : worst;
    }
    printf("largest difference: %d\n", worst);
    picture_free(&picture[0]);
    picture_free(&picture[1]);
    return worst > 2;
}
