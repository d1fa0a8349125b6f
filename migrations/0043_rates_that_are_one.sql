-- A rate that was looked up has 20 decimals. One that is 1 had none where another currency of the account made it so of an
-- amount that was not converted before.
UPDATE "transaction" t SET "rate" = round(1, 20)
FROM "collection" c
WHERE c."account_id" = t."account_id" AND c."id" = t."collection_id" AND c."currency" <> t."currency"
  AND t."rate" = 1 AND scale(t."rate") = 0;
