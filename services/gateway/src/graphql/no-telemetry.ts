// @apollo/gateway reports to its maker unless this is set before it is loaded.
process.env['APOLLO_TELEMETRY_DISABLED'] = 'true';
