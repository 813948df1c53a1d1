"""The checks of m5_date_rematch, by what they ask about."""
