"""What the command line says of orders, windows, fits and duplicates, said in Python."""

import json
import pathlib
import shutil
import statistics
import tempfile
import unittest

from pictures import SAMPLES, SIDE, WithPictures

import numpy as np
import penstock

STORES, DAYS = 6, 40
SOLD = [[(store + 1) * 100 + (day * 7 + store) % 11 for day in range(DAYS)] for store in range(STORES)]
ROWS = "#store:int,day:int,sales:double,price:double"
WINDOWS = {"length": 8, "horizon": 2, "by": "store", "order": "day", "features": ["sales", "price"], "target": "sales"}


class OrdersTest(WithPictures):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rows = [f"{store},{day},{SOLD[store][day]},{day % 5}" for store in range(STORES) for day in range(DAYS)]
        cls.tables = pathlib.Path(tempfile.mkdtemp())  # the folders beside the pictures are classes
        cls.addClassCleanup(shutil.rmtree, cls.tables)
        table = cls.tables / "sales.csv"
        table.write_text("\n".join(["store,day,sales,price", *rows]) + "\n")
        cls.table = f"csv:{table}{ROWS}"

    def test_windows_are_standardised_by_the_fit_of_the_stores_to_train_with(self):
        file = self.tables / "fit.json"
        fields = penstock.fit(self.table, file, split="0..0.7", window_rows=WINDOWS)

        flags = {"window_rows": WINDOWS, "batch": 16, "remainder": "keep", "epochs": 1, "split": "0..0.7"}
        with penstock.loader(self.table, standardise=f"{file}#features", **flags) as loader:
            batches = list(loader)
        features = np.concatenate([batch["features"] for batch in batches])
        targets = np.concatenate([batch["target"] for batch in batches])

        self.assertEqual(features.shape[1:], (8, 2))
        self.assertEqual(targets.shape, (len(features), 2))
        self.assertEqual(len(features) % (DAYS - 9), 0)
        self.assertLess(len(features), STORES * (DAYS - 9))
        np.testing.assert_allclose(features.mean(axis=(0, 1)), 0, atol=1e-3)
        np.testing.assert_allclose(features.std(axis=(0, 1)), 1, atol=1e-3)
        sales = fields["features[0]"]
        ahead = {round(float(sold * sales["deviation"] + sales["mean"])) for sold in features[:, :, 0].ravel()}
        self.assertLessEqual(ahead, {sold for store in SOLD for sold in store})

    def test_fit_is_that_of_the_rows(self):
        sold = [float(number) for store in SOLD for number in store]

        fields = penstock.fit(self.table, self.tables / "rows.json")

        self.assertAlmostEqual(fields["sales"]["mean"], statistics.fmean(sold), 9)
        self.assertAlmostEqual(fields["sales"]["deviation"], statistics.pstdev(sold), 9)
        with self.assertRaisesRegex(penstock.PenstockError, "cannot fit csv:/nothere"):
            penstock.fit("csv:/nothere#a", self.tables / "none.json")

    def test_fields_are_filled_bucketised_and_made_vectors_by_a_fit_of_other_rows(self):
        ages, fares, ports = [], [], []
        for at in range(48):
            ages.append(None if at % 6 == 5 else 20 + at % 7)
            fares.append(at * at % 101)
            ports.append("new" if at == 47 else ("south", "east", "quay")[at % 4 % 3])
        table = self.tables / "people.csv"
        people = (f"{'' if age is None else age},{fare},{port}" for age, fare, port in zip(ages, fares, ports))
        table.write_text("\n".join(["age,fare,port", *people]) + "\n")
        source, file = f"csv:{table}#age:double=NaN,fare:double,port", self.tables / "people.json"
        fields = penstock.fit(source, file, split="0..0.75", no_shuffle=None)
        flags = {"fill": file, "bucketise": f"{file}#fare=4", "one_hot": f"{file}#port", "shuffle": False}

        with penstock.loader(source, batch=48, epochs=1, **flags) as loader:
            (batch,) = loader

        mean = fields["age"]["mean"]
        np.testing.assert_allclose(batch["age"], [mean if age is None else age for age in ages])
        edges = [fields["fare"]["percentiles"][each] for each in (25, 50, 75)]
        self.assertEqual(batch["fare"].tolist(), np.searchsorted(edges, fares, side="right").tolist())
        classes = list(fields["port"]["classes"])
        self.assertEqual(batch["port"].shape, (48, len(classes)))
        hot = [[float(port == each) for each in classes] for port in ports]
        self.assertEqual(batch["port"].tolist(), hot)

    def test_weights_go_in_a_line_from_draw_to_draw(self):
        flags = {"resize": SIDE, "batch": 10, "with_indices": True, "stop": 40, "epochs": 1}
        weights = {0: (1, 0), 40: (0, 1)}

        with penstock.loader([self.source] * 2, weights_at=weights, weights_between="line", **flags) as loader:
            second = [index >= SAMPLES for batch in loader for index in batch["index"].tolist()]

        self.assertEqual(len(second), 40)
        for drawn in range(41):
            self.assertAlmostEqual(sum(second[:drawn]), drawn * drawn / 80, delta=1)

    def test_batches_have_some_samples_of_each_class(self):
        with penstock.loader(self.source, resize=SIDE, batch=12, batch_classes=3, epochs=1) as loader:
            for batch in loader:
                self.assertEqual(np.bincount(batch["label"][: batch.size]).tolist(), [4, 4, 4])

    def test_texts_are_read_once_and_those_to_test_with_are_left_out(self):
        texts = self.tables / "texts.jsonl"
        texts.write_text("".join(json.dumps({"text": f"a text of number {each % 8}"}) + "\n" for each in range(20)))
        held = self.tables / "held.jsonl"
        held.write_text(json.dumps({"text": "a text of number 3"}) + "\n")
        flags = {"pad": True, "batch": 4, "remainder": "keep", "epochs": 1}

        with penstock.loader(
            f"jsonl:{texts}#text", without_duplicates="exact", without=f"jsonl:{held}#text", **flags
        ) as loader:
            self.assertEqual(sum(batch.size for batch in loader), 7)

    def test_fields_of_a_table_are_joined(self):
        names = sorted(str(path.relative_to(self.folder)) for path in pathlib.Path(self.folder).glob("*/*.bmp"))
        table = self.tables / "ages.csv"
        table.write_text("name,age\n" + "".join(f"{name},{at}\n" for at, name in enumerate(names[:30])))

        with penstock.loader(
            self.source, resize=SIDE, join=f"csv:{table}#name,age:int", batch=30, shuffle=False, pad=True, epochs=1
        ) as loader:
            self.assertEqual([batch["age"].tolist() for batch in loader], [list(range(30))])


if __name__ == "__main__":
    unittest.main()
