/** Datasets of images with boxes, masks, key points or captions: COCO, Pascal VOC, YOLO, pairs of folders. */
@NullMarked
package io.penstock.annotation;

import org.jspecify.annotations.NullMarked;
