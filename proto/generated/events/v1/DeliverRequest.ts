// Original file: events/v1/service.proto

import type { Event__Input as _events_v1_Event__Input, Event as _events_v1_Event } from '../../events/v1/Event.ts';

export interface DeliverRequest__Input {
  'producer'?: (string);
  'events'?: (_events_v1_Event__Input)[];
}

export interface DeliverRequest {
  'producer': (string);
  'events': (_events_v1_Event)[];
}
