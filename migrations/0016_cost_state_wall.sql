SELECT raise_tenant_wall('cost_state');
