// Tests the library libviewport from C++: `viewport FILE` reads an image that viewport.c has written.
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include <viewport.h>

int main(int count, char **arguments) {
    if (count != 2) return 64;
    char message[300];
    viewport_image *opened = nullptr;
    if (viewport_open(arguments[1], nullptr, &opened, message, sizeof message) != VIEWPORT_OK)
        return std::puts(message), 1;
    std::unique_ptr<viewport_image, void (*)(viewport_image *)> image(opened, viewport_close);
    viewport_information facts{};
    if (viewport_inform(image.get(), &facts) != VIEWPORT_OK || facts.width != 640 || facts.height != 480) return 2;

    // Several threads, one image.
    auto read = [&](double x, std::vector<unsigned char> *to) {
        viewport_region region{x, 5, 200, 100, 0, 0};
        viewport_pixels pixels{to->data(), to->size(), 0, VIEWPORT_RGB, 8};
        char text[300];
        if (viewport_read(image.get(), &region, &pixels, nullptr, text, sizeof text) != VIEWPORT_OK) to->clear();
    };
    std::vector<unsigned char> first(200 * 100 * 3), second(200 * 100 * 3), again(200 * 100 * 3);
    std::thread one(read, 10, &first), two(read, 11, &second);
    one.join(), two.join();
    read(10, &again);
    if (first != again || first.empty() || second.empty()) return 3;
    // The same pixels, one to the left.
    for (int y = 0; y < 100; y++)
        for (int x = 0; x < 199 * 3; x++)
            if (first[y * 600 + x + 3] != second[y * 600 + x]) return 4;
}
