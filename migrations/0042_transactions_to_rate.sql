-- Alone in its file: nobody writes transactions while it is made.
CREATE INDEX "transaction_rated" ON "transaction" USING btree ("occurred","account_id") WHERE scale("transaction"."rate") > 0;