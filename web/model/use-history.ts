import { useEffect, useMemo, useState } from 'preact/hooks'
import type { HistoryAnswer, Transition } from '../../src/wire/console-wire.ts'
import { get } from './api.ts'
import { live } from './live.ts'

/** What happened before this page was opened. */
export function useEarlier(): HistoryAnswer | undefined {
  const [past, setPast] = useState<HistoryAnswer>()
  const since = live.since
  useEffect(() => {
    const abort = new AbortController()
    get<HistoryAnswer>(`history?before=${since + 1}`, abort.signal).then(setPast, () => undefined)
    return () => abort.abort()
  }, [since])
  return past
}

/** All known transitions, in order; `tick` decides how often new ones are added. */
export function useTransitions(earlier: HistoryAnswer | undefined, tick: number): readonly Transition[] {
  return useMemo(() => [...(earlier?.transitions ?? []), ...live.transitions], [earlier, tick])
}
