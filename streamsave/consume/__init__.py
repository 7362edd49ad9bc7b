"""The one layer between events and answers: objects, values by path, selections. It knows events and verbs only."""
