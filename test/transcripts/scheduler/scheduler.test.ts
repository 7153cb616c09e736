import { describeStories } from '../story-file.ts'
import { specialOptions } from './special-options.ts'
import { play } from './story.ts'

describeStories(import.meta.dirname, (story, name) => play(story, specialOptions(name)))
