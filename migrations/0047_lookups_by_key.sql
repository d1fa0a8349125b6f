-- These look up transactions by their keys. For the values of a call the planner takes an account that is new to the statistics of the table for
-- an empty one, and any index for as good as the key: each look-up then read all that the account has. A plan for all values has the key.
ALTER FUNCTION update_transaction SET plan_cache_mode = force_generic_plan;
--> statement-breakpoint
ALTER FUNCTION delete_transaction SET plan_cache_mode = force_generic_plan;
--> statement-breakpoint
ALTER FUNCTION create_transactions SET plan_cache_mode = force_generic_plan;
--> statement-breakpoint
ALTER FUNCTION move_transactions SET plan_cache_mode = force_generic_plan;
