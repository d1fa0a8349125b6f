-- Alone in its file: nobody writes transactions while it is made.
CREATE INDEX "transaction_converted" ON "transaction" USING btree ("account_id","collection_id","variant_id","currency","occurred") WHERE "transaction"."rate" <> 1;
