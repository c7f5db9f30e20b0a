"""Changes pictures by Pillow: reads RGB pictures of one size, and writes each as each operation leaves it.

arguments: the file of pictures, the file to write, height, width, and operations as NAME=MAGNITUDE, a
perspective with its eight coefficients
"""

import sys

from PIL import Image, ImageEnhance, ImageOps

BILINEAR = Image.Resampling.BILINEAR
DIRECT = {
    "invert": lambda image, m: ImageOps.invert(image),
    "solarise": lambda image, m: ImageOps.solarize(image, int(m)),
    "posterise": lambda image, m: ImageOps.posterize(image, int(m)),
    "autocontrast": lambda image, m: ImageOps.autocontrast(image),
    "equalise": lambda image, m: ImageOps.equalize(image),
    "grey": lambda image, m: image.convert("L").convert("RGB"),
    "brightness": lambda image, m: ImageEnhance.Brightness(image).enhance(1 + m),
    "contrast": lambda image, m: ImageEnhance.Contrast(image).enhance(1 + m),
    "saturation": lambda image, m: ImageEnhance.Color(image).enhance(1 + m),
    "sharpness": lambda image, m: ImageEnhance.Sharpness(image).enhance(1 + m),
    "vertical-flip": lambda image, m: ImageOps.flip(image),
    "rotate": lambda image, m: image.rotate(m, BILINEAR),
    "shear-x": lambda image, m: affine(image, 1, m, 0, 0, 1, 0),
    "shear-y": lambda image, m: affine(image, 1, 0, 0, m, 1, 0),
    "translate-x": lambda image, m: affine(image, 1, 0, -m, 0, 1, 0),
    "translate-y": lambda image, m: affine(image, 1, 0, 0, 0, 1, -m),
    "perspective": lambda image, *m: image.transform(image.size, Image.Transform.PERSPECTIVE, m, BILINEAR),
}


def affine(image, *matrix):
    return image.transform(image.size, Image.Transform.AFFINE, matrix, BILINEAR)


def main(pictures, out, height, width, *operations):
    size = int(height) * int(width) * 3
    with open(pictures, "rb") as source, open(out, "wb") as target:
        while pixels := source.read(size):
            image = Image.frombytes("RGB", (int(width), int(height)), pixels)
            for operation in operations:
                name, magnitude = operation.split("=")
                numbers = [float(number) for number in magnitude.split(":")]
                target.write(DIRECT[name](image, *numbers).tobytes())


main(*sys.argv[1:])
