package io.penstock.djl;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDManager;

/** An engine that has a name and nothing else. */
final class NamedEngine extends Engine {

    private final String name;

    NamedEngine(String name) {
        this.name = name;
    }

    @Override
    public String getEngineName() {
        return name;
    }

    @Override
    public Engine getAlternativeEngine() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int getRank() {
        throw new UnsupportedOperationException();
    }

    @Override
    public String getVersion() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean hasCapability(String capability) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Model newModel(String model, Device device) {
        throw new UnsupportedOperationException();
    }

    @Override
    public NDManager newBaseManager() {
        throw new UnsupportedOperationException();
    }

    @Override
    public NDManager newBaseManager(Device device) {
        throw new UnsupportedOperationException();
    }
}
