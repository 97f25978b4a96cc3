/**
 * Between the console and the window in which a person confirms at a provider. The code is bound to
 * their session, so that another page of this origin could do nothing with it.
 */
const channelName = 'tessera confirmation';

export function sendConfirmation(code: string): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(code);
  channel.close();
}

/** Calls back with each code. Returns how to stop. */
export function onConfirmation(take: (code: string) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'string') take(data);
  };
  return () => channel.close();
}
