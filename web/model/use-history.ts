import { useEffect, useMemo, useState } from 'preact/hooks'
import type { HistoryAnswer, Transition } from '../../src/wire/console-wire.ts'
import { get } from './api.ts'
import { live } from './live.ts'

/** The changes before this page was opened; undefined until they are loaded. */
export function useEarlier(): HistoryAnswer | undefined {
  const [past, setPast] = useState<HistoryAnswer>()
  const since = live.since
  useEffect(() => {
    const abort = new AbortController()
    get<HistoryAnswer>(`history?before=${since + 1}`, abort.signal).then(setPast, () => {
      // Without a history on the server, only the changes since the page was opened are known.
      if (!abort.signal.aborted) setPast(nothingKnown(live.serverNow()))
    })
    return () => abort.abort()
  }, [since])
  return past
}

const nothingKnown = (now: number): HistoryAnswer => ({ now, completeSince: now, transitions: [], events: [] })

/** All known transitions, in order; `tick` decides how often new ones are added. */
export function useTransitions(earlier: HistoryAnswer | undefined, tick: number): readonly Transition[] {
  return useMemo(() => [...(earlier?.transitions ?? []), ...live.transitions], [earlier, tick])
}
