// For container engines: succeeds when this container's process is ready. Asks the door that the
// process was told to open.
const port = process.env.HTTP_LISTEN?.split(':').pop() ?? process.env.PORT ?? '3000';
const answer = fetch(`http://127.0.0.1:${port}/${process.argv[2] ?? 'ready'}`, { signal: AbortSignal.timeout(4_000) });
process.exit(await answer.then(({ ok }) => (ok ? 0 : 1)).catch(() => 1));
