import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { hello } from '../model/live.ts'
import { bound, Choice } from '../parts/controls.tsx'
import { routeQuery } from '../router.ts'
import { PastView } from './past-view.tsx'
import { WhatIfView } from './what-if-view.tsx'

type TimeDirection = 'past' | 'future'

const direction = signal<TimeDirection>('past')

export function TimePage() {
  const asked = routeQuery.value.get('ask')
  const canAsk = hello.value?.can.forecast === true
  useEffect(() => {
    if (asked !== null && canAsk) direction.value = 'future'
  }, [asked, canAsk])
  return (
    <main class="page">
      <div class="head">
        <div class="title">
          <h1>Time</h1>
          <Choice<TimeDirection>
            label="Look"
            hideLabel
            {...bound(direction)}
            options={[
              { value: 'past', text: 'The last hour' },
              ...(canAsk ? [{ value: 'future' as const, text: 'What if…' }] : []),
            ]}
          />
        </div>
      </div>
      {direction.value === 'past' ? <PastView /> : <WhatIfView />}
    </main>
  )
}
