"""Ways in and out of learning management systems (LMS): what Canvas and Moodle let an instructor download and upload."""
