package io.penstock.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.opencv.global.opencv_core;
import org.junit.jupiter.api.Test;

class OpenCvLoadingTest {

    @Test
    void fastest_withOpenCvAtHand_isOpenCv() {
        assertThat(ImageDecoder.fastest().id())
                .isEqualTo(ImageDecoder.openCv().id())
                .matches("opencv \\d+\\.\\d+\\.\\d+");
        assertThat(ImageDecoder.jdk().id()).isEqualTo("jdk " + Runtime.version().feature());
    }

    @Test
    void threads_ofOpenCv_areOff() {
        ImageDecoder.openCv();

        assertThat(opencv_core.getNumThreads()).isEqualTo(1);
    }

    @Test
    void limits_ofJavaCpp_leaveRoomForCachesOffTheHeap() {
        ImageDecoder.openCv();

        assertThat(Pointer.maxPhysicalBytes()).isZero();
        assertThat(Pointer.maxBytes()).isZero();
    }

    @Test
    void fastest_withoutOpenCv_isTheJdk() throws ReflectiveOperationException {
        Class<?> decoder = new WithoutOpenCv().loadClass(ImageDecoder.class.getName());

        Object fastest = decoder.getMethod("fastest").invoke(null);

        assertThat((String) decoder.getMethod("id").invoke(fastest)).startsWith("jdk ");
    }

    @Test
    void openCv_withoutItsJars_namesThem() throws ReflectiveOperationException {
        Class<?> decoder = new WithoutOpenCv().loadClass(ImageDecoder.class.getName());

        assertThatThrownBy(() -> decoder.getMethod("openCv").invoke(null))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("OpenCV is not on the class path: add org.bytedeco:javacpp:1.5.13,"
                        + " org.bytedeco:openblas:0.3.31-1.5.13, org.bytedeco:opencv:4.13.0-1.5.13,"
                        + " each also with classifier linux-x86_64");
    }

    @Test
    void memory_offTheHeap_isFreedByEveryCall() {
        ImageDecoder decoder = ImageDecoder.openCv();
        Tensor jpeg = TestPhotos.jpeg(TestPhotos.photo(100, 120, 1));
        Tensor broken = TestPhotos.withSegment(jpeg, 0xC4, new byte[0]);
        Resize resize = Resize.exact(32, 32);
        decoder.decode(jpeg);
        long before = Pointer.totalBytes();
        long pointers = Pointer.totalCount();

        IntStream.range(0, 2000).parallel().forEach(i -> {
            if (i % 3 == 0) {
                decoder.decode(jpeg);
            } else if (i % 3 == 1) {
                decoder.decodeReduced(jpeg, resize);
            } else {
                assertThatThrownBy(() -> decoder.decode(broken, Resize.shorterSide(65535)));
            }
        });

        assertThat(Pointer.totalBytes()).isEqualTo(before);
        assertThat(Pointer.totalCount()).isEqualTo(pointers);
    }

    /** Loads the decoder's classes again, and none of JavaCPP's. */
    private static final class WithoutOpenCv extends ClassLoader {

        WithoutOpenCv() {
            super(ImageDecoder.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("org.bytedeco.")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("io.penstock.image.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream input = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = input.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
