// Original file: events/v1/service.proto


export interface DeliverResponse__Input {
  /**
   * ids that are committed (now or before)
   */
  'accepted'?: (string)[];
}

export interface DeliverResponse {
  /**
   * ids that are committed (now or before)
   */
  'accepted': (string)[];
}
