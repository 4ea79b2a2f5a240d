/* Calls of the kernel's vc4 device that Mesa's own stand-in for it does not take, to be loaded before that:
 * a shader's memory is any memory, and what is submitted is done at once. See peer.c. */
#include <vc4_drm.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>

int ioctl(int file, unsigned long request, ...);

int ioctl(int file, unsigned long request, ...) {
    enum { PAGE = 4096 };
    static int (*next)(int, unsigned long, ...);
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ioctl");
    switch (request) {
    case DRM_IOCTL_VC4_SUBMIT_CL:
    case DRM_IOCTL_VC4_WAIT_SEQNO:
    case DRM_IOCTL_VC4_WAIT_BO: return 0;
    case DRM_IOCTL_VC4_CREATE_SHADER_BO: {
        struct drm_vc4_create_shader_bo *shader = argument;
        struct drm_vc4_create_bo memory = {.size = (shader->size + PAGE - 1) / PAGE * PAGE};
        int result = next(file, DRM_IOCTL_VC4_CREATE_BO, &memory);
        shader->handle = memory.handle;
        return result;
    }
    default: return next(file, request, argument);
    }
}
