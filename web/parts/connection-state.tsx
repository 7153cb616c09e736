import { connection, hello, live, now } from '../model/live.ts'
import { countText, dateText, spanText } from '../model/words.ts'

/** The state in one word, so that it is clear without the color. */
export function ConnectionState() {
  const state = connection.value
  return (
    <div class={`state ${state.kind}`} role="status">
      <span class="dot" aria-hidden="true" />
      {stateText()}
    </div>
  )
}

function stateText(): string {
  const state = connection.value
  switch (state.kind) {
    case 'connecting':
      return 'Connecting…'
    case 'loading':
      return 'Loading…'
    case 'live':
      return hello.value?.cluster === 'snapshot' ? `Snapshot of ${dateText(hello.value.now)}` : 'Live'
    case 'behind':
      return `Behind by ${spanText(state.ms)}`
    case 'reconnecting':
      return 'Reconnecting…'
    case 'paused':
      return 'Paused'
    case 'signed-out':
      return 'Signed out'
    case 'forbidden':
      return 'Access denied'
  }
}

export function ConnectionBanner() {
  const state = connection.value
  if (state.kind === 'reconnecting') {
    const since = now.value - live.serverNow() + Date.now() - state.since
    return (
      <div class="banner bad" role="alert">
        <span>
          No connection for {spanText(since)}: {state.why}. What you see is as it was then.
        </span>
        <button type="button" class="button" onClick={() => live.reconnectNow()}>
          Try now
        </button>
      </div>
    )
  }
  if (state.kind === 'behind') {
    return (
      <div class="banner" role="status">
        This page is {spanText(state.ms)} behind the cluster.
      </div>
    )
  }
  if (state.kind === 'loading' && state.of > 5_000) {
    return (
      <div class="banner" role="status">
        Loading {countText(state.done)} of {countText(state.of)} objects…
      </div>
    )
  }
  return null
}

export function SignedOut({ why }: { readonly why: string }) {
  return (
    <main class="sign-in">
      <div class="card">
        <h1>Sign in to berth</h1>
        <p>
          This browser has no session with this cluster: <span class="strong">{why}</span>.
        </p>
        <p>
          <code>berth up</code> prints a link when it starts; it works once. From a browser that is signed in already,
          “Link for another browser” makes a new one.
        </p>
      </div>
    </main>
  )
}

/** The session is valid, but its user may not read what the console shows. */
export function Forbidden({ why }: { readonly why: string }) {
  return (
    <main class="sign-in">
      <div class="card">
        <h1>Access denied</h1>
        <p>
          The server refused the console: <span class="strong">{why}</span>.
        </p>
        <p>
          The console is read-only for a user who may <code>list</code> nodes and pods. Changes require{' '}
          <code>patch</code> nodes and <code>create</code> pods/eviction.
        </p>
        <button type="button" class="button" onClick={() => live.reconnectNow()}>
          Try again
        </button>
      </div>
    </main>
  )
}
