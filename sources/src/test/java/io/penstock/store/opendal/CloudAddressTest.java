package io.penstock.store.opendal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CloudAddressTest {

    private static final Map<String, String> ENVIRONMENT =
            Map.of("AZURE_STORAGE_ACCOUNT", "mine", "AZURE_STORAGE_KEY", "secret", "HF_TOKEN", "token");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gs://data/a/b.tar | gcs | b.tar | bucket=data root=/a/b.tar",
                "az://data/a/ | azblob | | account_key=secret account_name=mine container=data"
                        + " endpoint=https://mine.blob.core.windows.net root=/a/",
                "az://data?endpoint=http://h&account_name=x | azblob | | account_key=secret account_name=x container=data"
                        + " endpoint=http://h root=/",
                "hf://datasets/a/b/c.mds | huggingface | c.mds | repo_id=a/b repo_type=dataset root=/c.mds token=token",
                "hf://datasets/a/b@v2 | huggingface | | repo_id=a/b repo_type=dataset revision=v2 root=/ token=token",
                "webdav://me:pass@h:80/a | webdav | a | endpoint=http://h:80 password=pass root=/a username=me",
                "webdavs://h/a | webdav | a | endpoint=https://h root=/a",
                "webhdfs://me@h:9870/a b | webhdfs | a b | endpoint=http://h:9870 root=/a b user_name=me",
                "sftp://me@h/a?key=/k | sftp | a | endpoint=h key=/k root=/a user=me",
                "opendal+oss://data/a | oss | a | bucket=data root=/a",
                "opendal+fs:///a/b | fs | b | root=/a/b",
            })
    void addresses_sayWhatOpenDalIsTold(String text, String service, String name, String config) {
        CloudAddress address = CloudAddress.parse(text);

        assertThat(CloudAddress.isOne(text)).isTrue();
        assertThat(address.service()).isEqualTo(service);
        assertThat(address.name()).isEqualTo(name == null ? "" : name);
        assertThat(address.config(ENVIRONMENT::get).entrySet().stream()
                        .map(Map.Entry::toString)
                        .sorted())
                .containsExactly(config.split(" (?=\\w+=)"));
    }

    @Test
    void parent_keepsPlaceAndOptions() {
        assertThat(CloudAddress.parse("gs://data/a/b.tar?token=x").parent())
                .isEqualTo(CloudAddress.parse("gs://data/a/?token=x"));
    }

    @Test
    void words_haveNoPasswordAndNoOptions() {
        assertThat(CloudAddress.parse("webdav://me:pass@h/a?token=x")).hasToString("webdav://me@h/a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"gs://", "gs:///a", "hf://datasets/a", "hf://datasets//b/c", "gs://data/a?token", "s3://data"})
    void whatIsNone_isRefused(String text) {
        assertThatThrownBy(() -> CloudAddress.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void containerWithoutAnAccount_isRefusedWithTheWayOut() {
        assertThatThrownBy(() -> CloudAddress.parse("az://data/a").config(name -> null))
                .hasMessage("az://data/a needs an account: set AZURE_STORAGE_ACCOUNT, or add ?account_name=NAME");
        assertThat(CloudAddress.parse("az://data?account_name=x").config(name -> null))
                .containsEntry("endpoint", "https://x.blob.core.windows.net");
    }

    @Test
    void serviceThatOpenDalLacks_isRefusedByName() {
        assertThatThrownBy(() -> OpenDalStore.at(CloudAddress.parse("opendal+tape://a/b")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("cannot open opendal+tape://a/b", "tape");
    }
}
